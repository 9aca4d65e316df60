import { createInterface } from 'node:readline/promises';

/** Asks a question at the terminal; undefined where nobody is there to answer. */
export type Ask = ((question: string) => Promise<string>) | undefined;

/** Asks at the terminal, if standard input is one. */
export function terminal(): Ask {
  if (!process.stdin.isTTY) return undefined;
  return async (question) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  };
}

/** Whether an answer means yes. */
export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}
