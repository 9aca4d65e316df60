import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type Environment, type Found, findProgram, isProgram } from './programs.ts';

/** The oldest Java that Neo4j 5.26 runs on. */
const oldest = 17;

export interface Java {
  command: string;
  /** The feature release: 17, 21. */
  version: number;
}

/** Finds the Java of JAVA_HOME, or else of PATH, and asks for its version. */
export async function findJava(environment: Environment): Promise<Found<Java>> {
  const home = environment.JAVA_HOME;
  const command = home ? join(home, 'bin', 'java') : findProgram('java', environment);
  if (!command) return { missing: 'there is no java on the PATH' };
  if (!isProgram(command)) return { missing: `JAVA_HOME is ${home}, where there is no bin/java` };
  const version = parseJavaVersion(await versionText(command, environment));
  if (version === undefined) return { missing: `${command} -version does not tell its version` };
  if (version < oldest) {
    return { missing: `${command} is Java ${version}, and Neo4j needs Java ${oldest} or 21` };
  }
  return { command, version };
}

/** The feature release in what `java -version` prints: 8 of `1.8.0_392`, 17 of `17.0.15`, 21 of `21-ea`. */
export function parseJavaVersion(text: string): number | undefined {
  const found = /version "(?:1\.)?(\d+)/.exec(text);
  return found ? Number(found[1]) : undefined;
}

function versionText(command: string, environment: Environment): Promise<string> {
  return new Promise((resolve) => {
    // Java prints its version on the standard error; a failure leaves nothing there that looks like one.
    execFile(command, ['-version'], { env: environment, timeout: 20_000 }, (_error, out, err) => {
      resolve(`${err}\n${out}`);
    });
  });
}
