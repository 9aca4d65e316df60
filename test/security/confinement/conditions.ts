/** Conditions that are no single comparison: put behind `=` without parentheses they become another condition. */
export const loose = [
  '$yes OR false',
  'false OR $yes',
  '$yes OR $yes',
  '$yes XOR false',
  'false XOR $yes',
  '$yes AND true OR false',
  'NOT false OR false',
  '$yes = true OR false',
  '1 = 1 OR false',
  "$start STARTS WITH 'h' OR true",
  '$yes IS NOT NULL OR false',
  '(true) OR (false)',
  '[true][0] OR false',
  'CASE WHEN true THEN true END OR false',
  'EXISTS { (:Country) } OR false',
  'any(x IN [1] WHERE x = 1) OR true',
  '$yes\nOR\r\nfalse',
  '$yes/**/OR/**/false',
  '1 < 2 <= 3 OR false',
  '$yes IN [true] OR false',
];

/** Slots for them. */
export const loosePlaces: ((condition: string) => string)[] = [
  (condition) => `MATCH (n:Country {landlocked: ${condition}}) RETURN count(n) AS c`,
  (condition) => `MATCH (n {landlocked: ${condition}, id: $id}) RETURN count(n) AS c`,
  (condition) => `MATCH (n:Country {landlocked: ${condition}})-[r]->(b) RETURN count(n) AS c`,
  (condition) => `MATCH (n:Country WHERE n.landlocked = (${condition})) RETURN count(n) AS c`,
  (condition) =>
    `MATCH (n:Country) WHERE n.landlocked = true AND false OR n.landlocked = (${condition}) RETURN count(n) AS c`,
  (condition) => `MATCH (n:Country) WHERE n.landlocked OR n.landlocked = (${condition}) RETURN count(n) AS c`,
  (condition) => `MATCH (n:Country) WHERE n.landlocked AND ${condition} RETURN count(n) AS c`,
  (condition) => `MATCH (a) WHERE EXISTS { (a)--({landlocked: ${condition}}) } RETURN count(a) AS c`,
  (condition) => `MATCH (a {id: 'urn:open:b'}) RETURN COUNT { (a)--(:Country {landlocked: ${condition}}) } AS c`,
  (condition) => `MATCH (a {id: 'urn:open:b'}) RETURN size([(a)--(n {landlocked: ${condition}}) | n.id]) AS c`,
  (condition) => `OPTIONAL MATCH (n:Country {landlocked: ${condition}}) RETURN count(n) AS c`,
  (condition) => `MATCH (:Country)-[r {certainty: CASE WHEN ${condition} THEN 0.1 END}]->() RETURN count(r) AS c`,
  (condition) => `MATCH (l:Literal {value: ${condition}}) RETURN count(l) AS c`,
  (condition) =>
    `MATCH (a:Country) WHERE CASE a.landlocked WHEN ${condition} THEN true ELSE false END RETURN count(a) AS c`,
  (condition) =>
    `MATCH (n:Country) WITH n WHERE n.landlocked = (${condition}) OR n.region STARTS WITH $start RETURN count(n) AS c`,
];
