/** Where a command writes. */
export interface Io {
  /** Takes the lines of the result, for programs and people. */
  print(line: string): void;
  /** Takes what is for people only. */
  say(line: string): void;
}
