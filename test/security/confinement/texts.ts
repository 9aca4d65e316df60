/** Characters that are more than one unit of UTF-16 or of which some readers make less or more than one. */
export const characters: Record<string, string> = {
  'an emoji': '😀',
  'a mathematical letter': '𝒳',
  'a flag of two': '🇩🇪',
  'a rare ideograph': '𠀀',
  'the last character': '\u{10fffd}',
  'a family joined without width': '👩‍💻',
  'a combining mark': 'e\u0301',
  'a combining mark beyond the first plane': '\u{1d165}',
  'half of a pair': '\ud83d',
  'the other half, first': '\ude00\ud83d',
  'a byte order mark': '\ufeff',
  'a space without width': '\u200b',
  'two line ends': '\r\n',
  'a separator of lines': '\u2028',
  'a next line': '\u0085',
  'text from right to left': '\u202eabc',
};

/** Where a query may hold any text, of so many units of what differs; in front of `RETURN`. */
export const carriers: Record<string, (text: string) => string> = {
  'a comment': (text) => `/*${text}*/ `,
  'a comment of a line': (text) => `//${text.replaceAll(/[\r\n\u2028\u0085]/g, '')}\n`,
  'a string': (text) => `WITH '${text}' AS s `,
  'a string in double quotes': (text) => `WITH "${text}" AS s `,
  'a quoted name': (text) => `WITH 1 AS \`${text}\` `,
  'a key of a map': (text) => `WITH {\`${text}\`: 1} AS m `,
  'a name in a list': (text) => `WITH [\`${text}\` IN [1] | \`${text}\`] AS l `,
  'a condition': (text) => `WITH 1 AS one WHERE '${text}' <> 'a' `,
};

/** What a caller would like to run, behind a value; `%` stands for a file of the server. */
export const payloads = [
  '0 AS x UNION ALL MATCH (s) RETURN s {.*} AS x//',
  '0 AS x UNION ALL MATCH (s:Literal) RETURN s.value AS x//',
  '0 AS x UNION ALL MATCH (s)-[r]->() RETURN r {.*} AS x//',
  '0 AS x UNION ALL MATCH (s:PushConfig) RETURN s.token AS x//',
  "0 AS x UNION ALL LOAD CSV FROM 'file://%' AS x RETURN x//",
  '0 AS x UNION ALL CALL dbms.listConfig() YIELD value AS x RETURN x//',
  '0 AS x UNION ALL CALL db.labels() YIELD label AS x RETURN x//',
  "0 AS x UNION ALL CALL apoc.load.json('file://%') YIELD value AS x RETURN x//",
  'COLLECT { MATCH (s) RETURN properties(s) } AS x//',
  '[(s)--() | s {.*}] AS x//',
  'elementId(n), 1 AS x//',
];

const covers: Record<string, [string, string]> = {
  'a comment': ['/*', '*/'],
  'a comment of a line': ['//', '\n'],
  'a comment with a line end': ['/*', '\r\n*/'],
  'a list before it': ["['", "'][0] + "],
};

/**
 * A query that gives a text of `a`s, with a payload in front of it that is nothing, and so many characters before both
 * that whoever counts them otherwise takes the payload for what is returned.
 */
export function shifted(
  payload: string,
  [cover, carrier, character]: [keyof typeof covers, (text: string) => string, string],
): { text: string; rows: object[] } {
  const [before, behind] = covers[cover] ?? ['', ''];
  const inside = before.endsWith("'") ? payload.replaceAll("'", '"') : payload;
  const extra = character.length - [...character].length || 1;
  const units = inside.length + behind.length;
  const value = 'a'.repeat(Math.max(1, inside.length - 2));
  const text = `${carrier(character.repeat(Math.ceil(units / extra)))}RETURN ${before}${inside}${behind}'${value}' AS x`;
  return { text, rows: [{ x: cover === 'a list before it' ? inside + value : value }] };
}

export const coverNames = Object.keys(covers);

/** Names that a rewriter might give itself. */
export const names = [
  '__concord1',
  '__concord',
  '__concord2',
  '__concordEdge',
  '__concordValue',
  'v1',
  'v2',
  'v3',
  'own',
  'g1',
  'l1',
  'this',
  '$own',
  '%s',
  '$1',
  '$&',
];

/** Queries whose names are A to E, and whose parameter is P. */
export const renamed = [
  'MATCH (A:Country) WHERE A.name = $P RETURN A.name AS B',
  'UNWIND [3, 1, 2, 1] AS A WITH A AS B, count(*) AS C RETURN B, C ORDER BY B',
  "MATCH (A {id: 'urn:open:a'})-[B]->(C) RETURN count(DISTINCT B) AS D, count(C) AS E",
  'MATCH A = (B:Country)-[C*1..2]->(D:Country) RETURN count(A) AS E, sum(size(C)) AS B',
  'MATCH (A:Country) WITH A ORDER BY A.name LIMIT 1 RETURN [B IN [1, 2] WHERE B > 1 | B] AS C, COLLECT { MATCH (D:Country) RETURN D.name AS B ORDER BY B } AS E',
  'MATCH (A:Country) CALL (A) { MATCH (A)-->(B) RETURN count(B) AS C } RETURN sum(C) AS D, $P AS E',
  'MATCH (A:Country) WITH A {.name, label: $P} AS C RETURN C.label AS D, C.name AS E ORDER BY E',
  'RETURN reduce(A = 0, B IN [1, 2] | A + B) AS C, any(D IN [1] WHERE D = 1) AS E',
  'MATCH (A:Country) WHERE EXISTS { MATCH (A)-->(B:Country) WHERE B.name <> $P } RETURN A.name AS C, count(*) AS D ORDER BY C',
  'MATCH (A:Country)-[B:BORDERS]->(C) RETURN A.name AS D, max(C.name + $P) AS E ORDER BY D',
];

/** Two results of which the second holds, in a string, the end of the query and the beginning of another. */
export const placeholders: Record<string, (name: string, aggregate: string) => string> = {
  'a string': (name, of) => `UNWIND [1] AS n RETURN '${name}' AS a, ${of} AS c`,
  'a string in double quotes': (name, of) => `UNWIND [1] AS n RETURN "${name}" AS a, ${of} AS c`,
  'a string within a list': (name, of) => `UNWIND [1] AS n RETURN ['${name}'][0] AS a, ${of} AS c`,
  'a text of two': (name, of) => `UNWIND [1] AS n RETURN '' + '${name}' AS a, ${of} AS c`,
  'a column’s name': (name, of) => `UNWIND ['${name}'] AS n WITH n AS \`${name}\` RETURN \`${name}\` AS a, ${of} AS c`,
  'a comment': (name, of) => `UNWIND ['${name}'] AS n /*${name}*/ RETURN /*${name}*/ n AS a, ${of} AS c`,
  'a condition': (name, of) => `UNWIND ['${name}'] AS n WITH n WHERE n = '${name}' RETURN n AS a, ${of} AS c`,
  'a parameter’s name': (name, of) => `UNWIND [$\`${name}\`] AS n RETURN n AS a, ${of} AS c`,
};

const end = "' AS a, 1 AS c UNION MATCH (s:Literal) RETURN s {.tenant, .value} AS a, 1 AS c //";
const otherEnd = '" AS a, 1 AS c UNION MATCH (s:Literal) RETURN s {.tenant, .value} AS a, 1 AS c //';

export const aggregates: [text: string, result: unknown][] = [
  [`count("${end}")`, 1],
  [`count('${otherEnd}')`, 1],
  [`size(collect("${end}")[0])`, end.length],
  [`max(size('${otherEnd}'))`, otherEnd.length],
  [`count(DISTINCT "${end}")`, 1],
  [`head(collect({a: "${end}"})).a`, end],
];
