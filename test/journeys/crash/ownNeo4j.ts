import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../../src/config/config.ts';
import { Database } from '../../../src/graph/database/database.ts';
import { recall } from '../../../src/neo4jServer/running.ts';
import { type Neo4jServer, startNeo4j } from '../../../src/neo4jServer/server.ts';
import { lastingSettings, ownDataDirectory } from '../../support/ownNeo4j.ts';
import { SmallDisk } from '../../support/smallDisk.ts';

const attempts = 5;

/** A Neo4j of the test's own, which can be killed and comes back on the same ports with the same data. */
export class OwnNeo4j {
  private readonly settings: Record<string, string>;
  private server: Neo4jServer | undefined;

  private constructor(
    settings: Record<string, string>,
    /** Its own, where it was asked for and can be mounted. */
    readonly disk: SmallDisk | undefined,
  ) {
    this.settings = settings;
  }

  /** @param wantsDisk whether its data are to lie on a disk of their own, which can be filled */
  static async start(wantsDisk = false): Promise<OwnNeo4j> {
    const directory = ownDataDirectory();
    const disk = wantsDisk ? SmallDisk.mount(directory) : undefined;
    const neo4j = new OwnNeo4j(await lastingSettings(directory), disk);
    await neo4j.launch();
    return neo4j;
  }

  /** What a Concord is told of it. */
  get environment(): Record<'NEO4J_URI' | 'NEO4J_PASSWORD', string> {
    return { NEO4J_URI: this.running.uri, NEO4J_PASSWORD: this.running.password };
  }

  database(): Database {
    return new Database({ ...this.running, database: 'neo4j' });
  }

  /** Kills it and starts it again; settles when it answers. */
  async killed(): Promise<void> {
    const process_ = recall(join(this.settings.DATA_DIR ?? '', 'neo4j'))?.process;
    if (process_ === undefined) throw new Error('Neo4j is not there to be killed');
    process.kill(process_.pid, 'SIGKILL');
    await this.server?.close();
    this.server = undefined;
    await this.launch();
  }

  async close(): Promise<void> {
    await this.server?.close();
    this.disk?.unmount();
    rmSync(this.settings.DATA_DIR ?? '', { recursive: true, force: true });
  }

  private get running(): Neo4jServer {
    if (this.server === undefined) throw new Error('Neo4j has not been started');
    return this.server;
  }

  private async launch(): Promise<void> {
    for (let attempt = 1; this.server === undefined; attempt++) {
      this.server = await startNeo4j(readConfig(this.settings), () => {}).catch((error) => {
        // A busy machine takes longer than a start may; what it was killed in the middle of is all there still.
        if (attempt === attempts) throw error;
        return undefined;
      });
    }
  }
}
