import { condition } from './cypherConditions.ts';
import { list, number, text } from './cypherExpressions.ts';
import type { Maker, Variables } from './cypherText.ts';

/** A condition that fails for some values, or for all; mostly behind another that chooses. */
export function failing(maker: Maker, variables: Variables): string {
  const { random } = maker;
  const [words, count] = [() => text(maker, variables), () => number(maker, variables)];
  const fails = random.pick([
    () => `1 / (${count()}) > 0`,
    () => '1 / 0 > 0',
    () => `7 % toInteger(${count()}) > 0`,
    () => `9223372036854775800 + toInteger(${count()}) > 0`,
    () => `toBoolean([${words()}, ${count()}][1])`,
    () => `toInteger([[${words()}], 1][0]) > 0`,
    () => `[1, 2][[${words()}, 0][0]] > 0`,
    () => `{a: 1}[[${count()}, 'a'][0]] > 0`,
    () => `${words()} =~ ${words()}`,
    () => `'a' =~ ('(' + ${words()})`,
    () => `date(${words()}).year > 2000`,
    () => `datetime(${words()}) IS NOT NULL`,
    () => `duration(${words()}).days > 0`,
    () => `date({year: 2001, month: toInteger(${count()})}).month > 1`,
    () => `size(range(0, 3, toInteger(${count()}))) > 1`,
    () => `left(${words()}, toInteger(${count()}) - 2) = 'A'`,
    () => `[${words()}][0]`,
    () => `size([${words()}, ${count()}][0]) > 1`,
    () => `any(x IN ${list(maker, variables)} WHERE x)`,
    () => `reduce(s = 1, x IN ${list(maker, variables)} | s / size(x)) > 0`,
  ])();
  if (random.chance(0.2)) return fails;
  return random.pick([
    () => `CASE WHEN ${condition(maker, variables)} THEN ${fails} ELSE true END`,
    () => `(${condition(maker, variables)} AND ${fails})`,
    () => `CASE ${words()} WHEN ${words()} THEN ${fails} ELSE false END`,
  ])();
}
