import { readFileSync } from 'node:fs';

type Environment = Record<string, string | undefined>;

/** The setting that names the file of a secret. */
export const fileSetting = (name: string): string => `${name}_FILE`;

/**
 * A secret out of its file, as Docker and Kubernetes mount one, without the line break at its end.
 * @throws Error saying what is wrong with the file
 */
export function readSecret(path: string): string {
  const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  if (text === '') throw new Error(`${path} is empty`);
  return text;
}

/**
 * The environment with every secret that is given by its file, and what is wrong with these.
 * @param secrets the settings that may be given so
 * @param others all other settings
 */
export function withSecretFiles(
  environment: Environment,
  secrets: Iterable<string>,
  others: Iterable<string>,
): { given: Environment; faults: string[] } {
  const given = { ...environment };
  const faults: string[] = [];
  for (const name of secrets) {
    const path = environment[fileSetting(name)];
    if (path === undefined) continue;
    if (environment[name] !== undefined) faults.push(`${name} and ${fileSetting(name)} are both set: set one of them`);
    else {
      try {
        given[name] = readSecret(path);
      } catch (error) {
        faults.push(`${fileSetting(name)}: ${(error as Error).message}`);
      }
    }
  }
  for (const name of others) {
    if (environment[fileSetting(name)] === undefined) continue;
    faults.push(`${fileSetting(name)}: only secrets are read from a file so, and ${name} is none`);
  }
  return { given, faults };
}
