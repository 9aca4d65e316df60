import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { createHome } from '../../src/neo4jServer/home.ts';

/** A disk of its own for the data of an embedded Neo4j, which can be really full: a tmpfs, which only root may mount. */
export class SmallDisk {
  private constructor(private readonly data: string) {}

  /**
   * Mounts one of 2 GB where a Neo4j keeps its data.
   * @param directory the `DATA_DIR` of that Neo4j
   * @returns undefined where that isn't permitted
   */
  static mount(directory: string): SmallDisk | undefined {
    const data = join(createHome(readConfig({ DATA_DIR: directory })), 'data');
    const { status } = spawnSync('sh', ['-c', `mkdir -p '${data}' && mount -t tmpfs -o size=2g none '${data}'`]);
    return status === 0 ? new SmallDisk(data) : undefined;
  }

  /** Leaves no room at all beyond what files have already. */
  fill(): void {
    spawnSync('sh', ['-c', `cd '${this.data}' && fallocate -l "$(df --output=avail -k . | tail -1)K" filler`]);
  }

  free(): void {
    rmSync(join(this.data, 'filler'), { force: true });
  }

  unmount(): void {
    execFileSync('umount', ['-l', this.data]);
  }
}
