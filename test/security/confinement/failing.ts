/** Expressions that fail for every node or relationship that has an id, each at run time only. */
export const failing: Record<string, (text: string) => string> = {
  'division by zero': (text) => `1 / (size(${text}) - size(${text})) > 0`,
  remainder: (text) => `1 % (size(${text}) - size(${text})) > 0`,
  overflow: (text) => `9223372036854775807 + size(${text}) > 0`,
  'a conversion': (text) => `toBoolean([${text}, 1.5][size(${text}) - size(${text}) + 1])`,
  'a conversion of a list': (text) => `toInteger([[${text}], 1][size(${text}) - size(${text})]) > 0`,
  'an index that is no number': (text) => `[1, 2][[${text}][0]] > 0`,
  'a key that is no text': (text) => `{a: 1}[[size(${text}), ''][0]] > 0`,
  'a regular expression': (text) => `${text} =~ ('(' + left(${text}, 1))`,
  'a date': (text) => `date(${text}).year > 0`,
  'an instant': (text) => `datetime(${text}).year > 0`,
  'a duration': (text) => `duration(${text}).days > 0`,
  'a date of a map': (text) => `date({year: 2024, month: 12 + size(${text})}).year > 0`,
  'a range without steps': (text) => `size(range(1, 2, size(${text}) - size(${text}))) > 0`,
  'a length below zero': (text) => `left(${text}, -size(${text})) = ''`,
  'text that is no condition': (text) => `[${text}][0]`,
};

export const fails = failing['division by zero'] as (text: string) => string;

/**
 * Slots where something can fail for the entity `$id`, which is one step from `urn:open:a`. Each gives the column `c`.
 */
export const byId: Record<string, (fails: (text: string) => string) => string> = {
  'a pattern with the id': (f) => `MATCH (x {id: $id}) WHERE ${f('x.id')} RETURN count(*) AS c`,
  'a pattern with a relationship': (f) => `MATCH (x:Entity {id: $id})-[r]->(b) WHERE ${f('x.id')} RETURN count(*) AS c`,
  'a pattern against the arrow': (f) => `MATCH (x {id: $id})<-[r]-(b) WHERE ${f('x.id')} RETURN count(r) AS c`,
  'a scan': (f) => `MATCH (x:Entity) WHERE x.id = $id AND ${f('x.id')} RETURN count(*) AS c`,
  'a constant that fails in CASE': () =>
    `MATCH (x:Entity) WHERE CASE WHEN x.id = $id THEN 1 / 0 > 0 ELSE true END RETURN count(*) AS c`,
  'a scan of everything': (f) => `MATCH (x) WHERE x.id = $id AND ${f('x.id')} RETURN count(*) AS c`,
  'a scan with CASE': (f) =>
    `MATCH (x:Entity) WHERE CASE WHEN x.id = $id THEN ${f('x.id')} ELSE true END RETURN count(*) AS c`,
  'a scan with NOT': (f) => `MATCH (x) WHERE NOT (x.id = $id AND ${f('x.id')}) RETURN count(*) AS c`,
  'a scan with OR': (f) => `MATCH (x) WHERE x.id <> $id OR ${f('x.id')} RETURN count(*) AS c`,
  'a scan with XOR': (f) =>
    `MATCH (x) WHERE x.id = $id XOR CASE x.id WHEN $id THEN ${f('x.id')} ELSE false END RETURN count(*) AS c`,
  'a condition inside a node': (f) => `MATCH (x:Entity WHERE x.id = $id AND ${f('x.id')}) RETURN count(*) AS c`,
  'a condition inside a node of a path': (f) =>
    `MATCH (a {id: 'urn:open:a'})--(x WHERE x.id = $id AND ${f('x.id')}) RETURN count(*) AS c`,
  'a condition inside a relationship': (f) => `MATCH (x {id: $id})-[r WHERE ${f('x.id')}]-() RETURN count(*) AS c`,
  'a condition on an end of a relationship': (f) =>
    `MATCH ()-[r]->() WHERE endNode(r).id = $id AND ${f('endNode(r).id')} RETURN count(*) AS c`,
  'a condition on the type': (f) =>
    `MATCH (a {id: 'urn:open:a'})-[r]-(x {id: $id}) WHERE ${f('type(r)')} RETURN count(*) AS c`,
  labels: (f) => `MATCH (x) WHERE x.id = $id AND ${f('head(labels(x))')} RETURN count(*) AS c`,
  'labels of a path’s end': (f) =>
    `MATCH (a {id: 'urn:open:a'})--(x) WHERE x.id = $id AND ${f('labels(x)[0]')} RETURN count(*) AS c`,
  'WITH and WHERE': (f) => `MATCH (x {id: $id}) WITH x WHERE ${f('x.id')} RETURN count(*) AS c`,
  'WITH * and WHERE': (f) => `MATCH (x {id: $id}) WITH * WHERE ${f('x.id')} RETURN count(*) AS c`,
  'a column of WITH': (f) => `MATCH (x {id: $id}) WITH x, ${f('x.id')} AS f RETURN count(f) AS c`,
  'a column': (f) => `MATCH (x {id: $id}) RETURN ${f('x.id')} AS c`,
  'an aggregate': (f) => `MATCH (x {id: $id}) RETURN count(CASE WHEN ${f('x.id')} THEN 1 END) AS c`,
  'what is collected': (f) => `MATCH (x {id: $id}) RETURN size(collect(DISTINCT ${f('x.id')})) AS c`,
  ordering: (f) => `MATCH (x {id: $id}) WITH x ORDER BY ${f('x.id')} LIMIT 2 RETURN count(*) AS c`,
  UNWIND: (f) => `MATCH (x {id: $id}) UNWIND [${f('x.id')}] AS f RETURN count(f) AS c`,
  'two clauses': (f) => `MATCH (x {id: $id}) MATCH (x)-[r]-(b) WHERE ${f('x.id')} RETURN count(*) AS c`,
  'OPTIONAL MATCH': (f) => `OPTIONAL MATCH (x {id: $id}) WHERE ${f('x.id')} RETURN count(x) AS c`,
  'OPTIONAL MATCH of a step': (f) =>
    `MATCH (a {id: 'urn:open:a'}) OPTIONAL MATCH (a)--(x {id: $id}) WHERE ${f('x.id')} RETURN count(x) AS c`,
  EXISTS: (f) =>
    `MATCH (a {id: 'urn:open:a'}) WHERE EXISTS { (a)--(x {id: $id}) WHERE ${f('x.id')} } RETURN count(*) AS c`,
  'EXISTS of a query': (f) =>
    `MATCH (a {id: 'urn:open:a'}) WHERE EXISTS { MATCH (a)--(x) WHERE x.id = $id AND ${f('x.id')} RETURN x } RETURN count(*) AS c`,
  'NOT EXISTS': (f) =>
    `MATCH (a {id: 'urn:open:a'}) WHERE NOT EXISTS { MATCH (x {id: $id}) WHERE ${f('x.id')} } RETURN count(*) AS c`,
  COUNT: (f) => `MATCH (a {id: 'urn:open:a'}) RETURN COUNT { (a)--(x {id: $id}) WHERE ${f('x.id')} } AS c`,
  'COUNT of a query': (f) => `RETURN COUNT { MATCH (x {id: $id}) WITH ${f('x.id')} AS f RETURN f } AS c`,
  COLLECT: (f) =>
    `MATCH (a {id: 'urn:open:a'}) RETURN COLLECT { MATCH (a)--(x {id: $id}) WHERE ${f('x.id')} RETURN x.id } AS c`,
  'a column of COLLECT': (f) => `RETURN COLLECT { MATCH (x {id: $id}) RETURN ${f('x.id')} } AS c`,
  'a comprehension’s condition': (f) =>
    `MATCH (a {id: 'urn:open:a'}) RETURN size([(a)--(x {id: $id}) WHERE ${f('x.id')} | 1]) AS c`,
  'a comprehension’s value': (f) => `MATCH (a {id: 'urn:open:a'}) RETURN [(a)--(x {id: $id}) | ${f('x.id')}] AS c`,
  'a comprehension over nodes': (f) => `MATCH (x {id: $id}) RETURN [each IN [x] WHERE ${f('each.id')} | 1] AS c`,
  'variable length': (f) =>
    `MATCH (a {id: 'urn:open:a'})-[*1..2]-(x) WHERE x.id = $id AND ${f('x.id')} RETURN count(*) AS c`,
  'variable length, each relationship': (f) =>
    `MATCH (a {id: 'urn:open:a'})-[rs*1..2]-(x {id: $id}) WHERE all(r IN rs WHERE ${f('type(r)')}) RETURN count(*) AS c`,
  'variable length, each node': (f) =>
    `MATCH p = (a {id: 'urn:open:a'})-[*1..2]-(x {id: $id}) WHERE any(n IN nodes(p) WHERE ${f('n.id')}) RETURN count(*) AS c`,
  'a shortest path’s end': (f) =>
    `MATCH (a {id: 'urn:open:a'}), (x {id: $id}), p = shortestPath((a)-[*..3]-(x)) WHERE ${f('x.id')} RETURN count(p) AS c`,
  'a shortest path’s nodes': (f) =>
    `MATCH (a {id: 'urn:open:a'}), (x {id: $id}) MATCH p = shortestPath((a)-[*..3]-(x)) WHERE none(n IN nodes(p) WHERE ${f('n.id')}) RETURN count(p) AS c`,
  'all shortest paths': (f) =>
    `MATCH (a {id: 'urn:open:a'}), (x {id: $id}) MATCH p = allShortestPaths((a)-[*..3]-(x)) WHERE reduce(s = true, n IN nodes(p) | ${f('n.id')}) RETURN count(p) AS c`,
  'OPTIONAL MATCH of a path in parentheses': (f) =>
    `OPTIONAL MATCH ((x {id: $id})-[r]-(y)) WHERE ${f('x.id')} RETURN count(x) AS c`,
  'OPTIONAL MATCH of a step that repeats': (f) =>
    `MATCH (a {id: 'urn:open:a'}) OPTIONAL MATCH (a)-[]-{1,2}(x {id: $id}) WHERE ${f('x.id')} RETURN count(x) AS c`,
  'a path in parentheses with a step that repeats': (f) =>
    `MATCH ((a {id: 'urn:open:a'})-[]-{1,2}(x {id: $id}) WHERE ${f('x.id')}) RETURN count(x) AS c`,
  'a shortest path from a node to itself': (f) =>
    `MATCH p = shortestPath((x {id: $id})-[*..2]-(y {id: $id})) WHERE ${f('x.id')} RETURN count(p) AS c`,
  'a quantified path': (f) =>
    `MATCH (a {id: 'urn:open:a'}) ((m)-[r]-(n) WHERE CASE WHEN n.id = $id THEN ${f('n.id')} ELSE true END){1,2} (b) RETURN count(*) AS c`,
  'a quantified path of a query’s node': (f) =>
    `MATCH (a {id: 'urn:open:a'}) ((m)-[r]-(n WHERE n.id <> $id OR ${f('n.id')}))+ (b) RETURN count(*) AS c`,
  'a quantified relationship': (f) =>
    `MATCH (x {id: $id})-[r WHERE ${f('startNode(r).id')}]-{1,2}(b) RETURN count(*) AS c`,
  'a node’s properties': (f) => `MATCH (x {id: $id})--(b {landlocked: ${f('x.id')}}) RETURN count(*) AS c`,
  'a relationship’s properties': (f) =>
    `MATCH (x {id: $id})-[r {certainty: CASE WHEN ${f('x.id')} THEN 1.0 ELSE 1.0 END}]-(b) RETURN count(*) AS c`,
  'another pattern’s properties': (f) => `MATCH (x {id: $id}), (b {landlocked: ${f('x.id')}}) RETURN count(*) AS c`,
  'patterns beside each other': (f) =>
    `MATCH (a {id: 'urn:open:a'}), (x {id: $id}) WHERE ${f('x.id + a.id')} RETURN count(*) AS c`,
  'patterns that meet': (f) => `MATCH (a)--(x), (x)--(b) WHERE x.id = $id AND ${f('x.id')} RETURN count(*) AS c`,
  'a pattern as a condition': (f) => `MATCH (x {id: $id}) WHERE (x)--() AND ${f('x.id')} RETURN count(*) AS c`,
  CALL: (f) => `CALL () { MATCH (x {id: $id}) WHERE ${f('x.id')} RETURN 1 AS one } RETURN count(*) AS c`,
  'CALL of a node': (f) =>
    `MATCH (x {id: $id}) CALL (x) { WITH x WHERE ${f('x.id')} RETURN 1 AS one } RETURN count(*) AS c`,
  UNION: (f) => `MATCH (x {id: $id}) RETURN ${f('x.id')} AS c UNION MATCH (x {id: $id}) RETURN true AS c`,
  'a label test of what may be no node': () =>
    `MATCH (a {id: 'urn:open:a'}) UNWIND [1, a] AS y MATCH (x {id: $id}) WHERE y:Country RETURN count(*) AS c`,
  'a label test of what may be no node, in COUNT': () =>
    `MATCH (a {id: 'urn:open:a'}) UNWIND [1, a] AS y RETURN COUNT { MATCH (x) WHERE x.id = $id AND y:Country } AS c`,
  'a label test of what may be no node, with OR': () =>
    `MATCH (a {id: 'urn:open:a'}) UNWIND [1, a] AS y MATCH (a)--(x) WHERE (x.id = $id AND NOT y:Country) OR x.id = 'z' RETURN count(*) AS c`,
  'a map of the node': (f) => `MATCH (x {id: $id}) RETURN x {.id, f: ${f('x.id')}}.f AS c`,
};

/**
 * Slots where something can fail for a value: `$value`, or what begins with `$start`, is said of what is seen, or of
 * nothing that is.
 */
export const byValue: Record<string, (fails: (text: string) => string) => string> = {
  'literals, letter by letter': (f) =>
    `MATCH (l:Literal) WHERE CASE WHEN l.value STARTS WITH $start THEN ${f('l.value')} ELSE true END RETURN count(*) AS c`,
  'literals, letter by letter, by a constant that fails': () =>
    `MATCH (l:Literal) WHERE CASE WHEN l.value STARTS WITH $start THEN 1 / 0 > 0 ELSE true END RETURN count(*) AS c`,
  'any node’s value, letter by letter': () =>
    `MATCH (x) WHERE CASE WHEN x.name STARTS WITH $start THEN 1 / 0 > 0 ELSE true END RETURN count(*) AS c`,
  'literals of what is seen': (f) =>
    `MATCH (a {id: 'urn:open:a'})-->(l:Literal) WHERE CASE WHEN l.value = $value THEN ${f('l.value')} ELSE true END RETURN count(*) AS c`,
  'a literal with the value': (f) =>
    `MATCH (l:Literal {value: $value})<--(a) WHERE ${f('l.value')} RETURN count(*) AS c`,
  'a property': (f) =>
    `MATCH (a:Country) WHERE CASE WHEN a.region STARTS WITH $start THEN ${f('a.region')} ELSE true END RETURN count(*) AS c`,
  'a property with the value': (f) => `MATCH (a:Country {region: $value}) WHERE ${f('a.region')} RETURN count(*) AS c`,
  'a property in a list': (f) =>
    `MATCH (a:Country) WHERE any(each IN a.nativeName WHERE each = $value AND ${f('each')}) RETURN count(*) AS c`,
  'a property that is shown': (f) =>
    `MATCH (a:Country) RETURN sum(CASE WHEN a.region = $value AND ${f('a.region')} THEN 1 ELSE 0 END) AS c`,
  'the value of any node': (f) => `MATCH (x) WHERE x.value STARTS WITH $start AND ${f('x.value')} RETURN count(*) AS c`,
  'the values in a comprehension': (f) =>
    `MATCH (a {id: 'urn:open:a'}) RETURN size([(a)-->(l:Literal) WHERE l.value = $value AND ${f('l.value')} | 1]) AS c`,
};
