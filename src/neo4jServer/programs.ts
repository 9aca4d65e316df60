import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The variables that say where programs are: PATH, JAVA_HOME, and what Maven and Java read for themselves. */
export type Environment = Record<string, string | undefined>;

/** A program that can be run, or why it cannot: a clause that completes "Neo4j cannot be run here: …". */
export type Found<Program> = ({ missing?: never } & Program) | { missing: string };

/** The path of a program by its name, as a shell would find it on PATH. */
export function findProgram(name: string, environment: Environment): string | undefined {
  const directories = (environment.PATH ?? '').split(delimiter).filter(Boolean);
  return directories.map((directory) => join(directory, name)).find(isProgram);
}

/** Whether there is a file here that may be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
