import { styleText } from 'node:util';

/** Where the story is written: process.stdout, or what a test collects. */
export type Output = NodeJS.WritableStream & { isTTY?: boolean };

/** Lays out the story: numbered steps, indented lines, aligned columns. */
export class Screen {
  readonly output: Output;
  private readonly colours: boolean;
  private steps = 0;

  constructor(output: Output, colours = false) {
    this.output = output;
    this.colours = colours;
  }

  /** Whether a line can be drawn over. */
  get isTerminal(): boolean {
    return this.output.isTTY === true;
  }

  /** The heading of the next step. */
  step(title: string): void {
    this.steps += 1;
    this.write(`\n${this.styled('bold', `${this.steps}. ${title}`)}\n`);
  }

  heading(title: string): void {
    this.write(`\n${this.styled('bold', title)}\n`);
  }

  line(text = ''): void {
    this.write(text === '' ? '\n' : `   ${text}\n`);
  }

  /** Something that the reader may copy, or read past. */
  code(text: string): void {
    this.write('\n');
    for (const line of text.trim().split('\n')) this.write(`     ${this.styled('cyan', line)}\n`);
    this.write('\n');
  }

  aside(text: string): void {
    this.line(this.styled('dim', text));
  }

  /** Rows in columns; the first row is the head if there is to be one. */
  table(rows: string[][], { head = false } = {}): void {
    const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
    for (const [index, cells] of rows.entries()) {
      const text = cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd();
      this.line(head && index === 0 ? this.styled('underline', text) : text);
    }
  }

  private write(text: string): void {
    this.output.write(text);
  }

  private styled(style: Parameters<typeof styleText>[0], text: string): string {
    return this.colours ? styleText(style, text) : text;
  }
}

/** `6578` → `6,578` */
export function counted(number: number): string {
  return number.toLocaleString('en');
}

/** IRIs of the demo without the part that all share: `country/FRA`, `capital`, `City`. */
export function short(text: string): string {
  return text.replace(/https:\/\/(example\.org\/world[/#]|schema\.org\/)/g, '');
}
