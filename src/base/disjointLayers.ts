/**
 * Parts a list into layers, in order, so that within a layer no two have a key in common. What is in a layer can be
 * written and checked together.
 */
export function disjointLayers<T>(items: T[], keysOf: (item: T) => string[]): T[][] {
  const layers: T[][] = [];
  let taken = new Set<string>();
  for (const item of items) {
    const keys = keysOf(item);
    if (layers.length === 0 || keys.some((key) => taken.has(key))) {
      layers.push([]);
      taken = new Set();
    }
    layers.at(-1)?.push(item);
    for (const key of keys) taken.add(key);
  }
  return layers;
}
