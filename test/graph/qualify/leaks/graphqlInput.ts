/** What stands without quotes in GraphQL: a value of an enum. */
export class Word {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value of an argument. */
export type Input = string | number | boolean | null | Word | Input[] | { [name: string]: Input };

/** As it stands in a query. */
export function printInput(value: Input): string {
  if (value instanceof Word) return value.text;
  if (Array.isArray(value)) return `[${value.map(printInput).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => `${name}: ${printInput(each)}`);
  return `{${members.join(', ')}}`;
}

/** As the value of a variable. */
export function toVariable(value: Input): unknown {
  if (value instanceof Word) return value.text;
  if (Array.isArray(value)) return value.map(toVariable);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toVariable(each)]));
}
