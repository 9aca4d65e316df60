/**
 * What the aggregating functions of one projection take. The lowest, highest and average of a property all take the same, which may be long to work
 * out where the property must qualify: what is taken more than once is worked out once, in a `WITH` of its own before the projection.
 */
export class Aggregated {
  private readonly taken = new Map<string, { variable: string; times: number }>();
  private readonly variable: () => string;

  /** @param variable gives one that the query doesn't have */
  constructor(variable: () => string) {
    this.variable = variable;
  }

  /** The variable that stands for the argument until the projection is settled. */
  take(argument: string): string {
    const known = this.taken.get(argument) ?? { variable: this.variable(), times: 0 };
    known.times += 1;
    this.taken.set(argument, known);
    return known.variable;
  }

  /** The clause with what it takes. */
  settle(clause: string): string {
    const several = [...this.taken].filter(([, { times }]) => times > 1);
    const inPlace = [...this.taken].filter(([, { times }]) => times === 1);
    const text = inPlace.reduce(
      (all, [argument, { variable }]) => all.replace(new RegExp(`\\b${variable}\\b`), () => argument),
      clause,
    );
    if (several.length === 0) return text;
    return `WITH *, ${several.map(([argument, { variable }]) => `${argument} AS ${variable}`).join(', ')}\n${text}`;
  }
}
