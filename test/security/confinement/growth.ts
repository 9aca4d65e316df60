/** Something nested so often. */
function nested(times: number, around: (inner: string) => string, core = '1'): string {
  let text = core;
  for (let level = 0; level < times; level++) text = around(text);
  return text;
}

const list = (times: number, each: (index: number) => string, by = ', ') =>
  Array.from({ length: times }, (_, index) => each(index)).join(by);

/** Queries that are short and grow, or that are long and deep. */
export const growing: Record<string, () => string> = {
  'a property of a comprehension, nested': () =>
    `RETURN ${nested(18, (inner) => `startNode([(a {name: ${inner}})-[r]->() | r][0]).name`, "'x'")} AS c`,
  'a property of an end, nested': () =>
    `RETURN ${nested(18, (inner) => `endNode(head([(a)-[r {graph: ${inner}}]->() | r])).name`, "'x'")} AS c`,
  'a property of a node of a path, nested': () =>
    `RETURN ${nested(18, (inner) => `head(nodes(head([p = (a {region: ${inner}})--() | p]))).region`, "'x'")} AS c`,
  'a property of CASE, nested': () =>
    `MATCH (n:Country) RETURN ${nested(18, (inner) => `CASE WHEN ${inner} = 'x' THEN n ELSE n END.name`, "'x'")} AS c`,
  'a property of a list, nested': () =>
    `MATCH (n:Country) RETURN ${nested(18, (inner) => `[n, n][size(${inner})].name`, "'x'")} AS c`,
  'a map projection, nested': () =>
    `MATCH (n:Country) RETURN ${nested(18, (inner) => `n {.name, .region, a: ${inner}}`)} AS c`,
  'properties in properties of patterns': () =>
    `RETURN EXISTS { ${nested(18, (inner) => `(:Country {name: head([(a)-->({region: head([${inner.startsWith('(') ? `${inner} | 'x'` : "x IN ['x'] | x"}])}) | a.name])})`, "'x'")} } AS c`,
  'COLLECT, nested': () => `RETURN ${nested(100, (inner) => `COLLECT { RETURN ${inner} AS x }`)} AS c`,
  'COLLECT of matches, nested': () =>
    `RETURN ${nested(40, (inner) => `COLLECT { MATCH (a:Country) RETURN ${inner} AS x }`)} AS c`,
  'EXISTS, nested': () =>
    `MATCH (a) WHERE ${nested(100, (inner) => `EXISTS { MATCH (a)--(b) WHERE ${inner} }`, 'true')} RETURN count(*) AS c`,
  'COUNT, nested': () => `RETURN ${nested(100, (inner) => `COUNT { MATCH (a) WHERE ${inner} > 0 }`)} AS c`,
  'CALL, nested': () => `${nested(100, (inner) => `CALL () { ${inner} }`, 'RETURN 1 AS c')} RETURN c`,
  'comprehensions, nested': () => `RETURN ${nested(100, (inner) => `[x IN [${inner}] | x]`)} AS c`,
  'comprehensions in lists, nested': () =>
    `RETURN ${nested(100, (inner) => `[x IN ${inner} WHERE x = 1]`, '[1]')} AS c`,
  'patterns in comprehensions, nested': () =>
    `MATCH (a:Country) RETURN ${nested(60, (inner) => `[(a)--(b) | ${inner}]`)} AS c`,
  'reduce, nested': () => `RETURN ${nested(100, (inner) => `reduce(s = 0, x IN [1] | s + ${inner})`)} AS c`,
  'any, nested': () => `RETURN ${nested(100, (inner) => `any(x IN [1] WHERE ${inner})`, 'true')} AS c`,
  'CASE, nested': () => `RETURN ${nested(200, (inner) => `CASE WHEN true THEN ${inner} ELSE 0 END`)} AS c`,
  'parentheses, nested': () => `RETURN ${nested(5_000, (inner) => `(${inner})`)} AS c`,
  'lists, nested': () => `RETURN ${nested(5_000, (inner) => `[${inner}]`)} AS c`,
  'maps, nested': () => `RETURN ${nested(2_000, (inner) => `{a: ${inner}}`)} AS c`,
  'functions, nested': () => `RETURN ${nested(2_000, (inner) => `coalesce(${inner}, 1)`)} AS c`,
  'NOT, many times': () => `RETURN ${'NOT '.repeat(10_000)}true AS c`,
  'minus, many times': () => `RETURN ${'- '.repeat(20_000)}1 AS c`,
  'labels negated many times': () => `MATCH (n:${'!'.repeat(5_000)}Country) RETURN count(n) AS c`,
  'labels in parentheses': () => `MATCH (n:${nested(2_000, (inner) => `(${inner})`, 'Country')}) RETURN count(n) AS c`,
  'paths in parentheses': () => `MATCH ${nested(500, (inner) => `(${inner})`, '(a)-->(b)')} RETURN count(*) AS c`,
  'a sum': () => `RETURN ${list(20_000, () => '1', ' + ')} AS c`,
  'many conditions': () => `MATCH (n) WHERE ${list(4_000, (n) => `n.id <> '${n}'`, ' AND ')} RETURN count(n) AS c`,
  'many alternatives': () => `MATCH (n) WHERE ${list(4_000, (n) => `n.id = '${n}'`, ' OR ')} RETURN count(n) AS c`,
  'many properties': () => `MATCH (n:Country) RETURN ${list(2_000, (n) => `n.region AS c${n}`)}`,
  'many elements': () => `RETURN [${list(20_000, String)}][0] AS c`,
  'many keys': () => `RETURN {${list(8_000, (n) => `a${n}: 1`)}}.a1 AS c`,
  'many parts of a union': () => list(2_000, () => 'RETURN 1 AS c', ' UNION ALL '),
  'many clauses': () => `${list(2_000, () => 'WITH 1 AS c', ' ')} RETURN c`,
  'many matches': () => `${list(300, (n) => `MATCH (n${n}:Country {id: 'none'})`, ' ')} RETURN count(*) AS c`,
  'many patterns': () => `MATCH ${list(300, (n) => `(n${n} {id: 'none'})`)} RETURN count(*) AS c`,
  'many optional matches': () => `${list(300, (n) => `OPTIONAL MATCH (n${n} {id: 'none'})`, ' ')} RETURN count(*) AS c`,
  'a path of many steps': () => `MATCH ({id: 'none'})${'-->()'.repeat(500)} RETURN count(*) AS c`,
  'many types': () => `MATCH ()-[:${list(5_000, (n) => `T${n}`, '|')}]->() RETURN count(*) AS c`,
  'many labels': () => `MATCH (n:${list(5_000, (n) => `L${n}`, '|')}) RETURN count(n) AS c`,
  'a chain of keys': () => `RETURN {a: 1}${'.a'.repeat(5_000)} AS c`,
  'a chain of indexes': () => `RETURN [1]${'[0]'.repeat(5_000)} AS c`,
  'much to order by': () => `MATCH (n:Country) RETURN n.name AS c ORDER BY ${list(2_000, () => 'n.region')}`,
  'a long string': () => `RETURN size('${'😀'.repeat(40_000)}') AS c`,
  'a long comment': () => `RETURN 1 /*${'*'.repeat(90_000)}*/ AS c`,
  'a long number': () => `RETURN ${'1'.repeat(90_000)} AS c`,
  'brackets that never end': () => `RETURN ${'['.repeat(40_000)}`,
  'quotes that never end': () => `RETURN ${"'a' + ".repeat(10_000)}'`,
  'spaces only': () => `RETURN${' \n'.repeat(45_000)}1 AS c`,
};
