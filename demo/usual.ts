/**
 * One value for each code: the one given most often, of equals the last. The data tells the name of a language or a currency anew
 * with each country, and not always in the same words.
 */
export function usual<Value>(entries: [code: string, value: Value][]): [code: string, value: Value][] {
  const counts = new Map<string, Map<string, { value: Value; count: number }>>();
  for (const [code, value] of entries) {
    const variants = counts.get(code) ?? new Map<string, { value: Value; count: number }>();
    const key = JSON.stringify(value);
    variants.set(key, { value, count: (variants.get(key)?.count ?? 0) + 1 });
    counts.set(code, variants);
  }
  return [...counts].flatMap(([code, variants]) => {
    const [usual] = [...variants.values()].reverse().sort((one, other) => other.count - one.count);
    return usual === undefined ? [] : [[code, usual.value] satisfies [string, Value]];
  });
}
