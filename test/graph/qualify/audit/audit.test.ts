import { describe, expect, it } from '@jest/globals';
import { type Audited, audit, UnconfinedCypher } from '../../../../src/graph/qualify/audit/audit.ts';
import type { Shape } from '../../../../src/graph/qualify/text/conditions.ts';
import { type Change, texts, Writer } from './auditTexts.ts';

const plain: Shape = { certainty: false, since: false, asOf: false };
const closed = { predicates: true, classes: true, labels: ['Secret'], types: ['HIDES'] };
const graphs = { default: true, named: true };
const allShapes: Record<string, Shape> = {
  'the tenant only': plain,
  certainty: { ...plain, certainty: true },
  age: { ...plain, since: true },
  'all graphs': { ...plain, graphs },
  'the default graph': { ...plain, graphs: { default: true, named: false } },
  'named graphs': { ...plain, graphs: { default: false, named: true } },
  'no graph': { ...plain, graphs: { default: false, named: false } },
  'what is closed': { ...plain, closed },
  'closed predicates': { ...plain, closed: { ...closed, classes: false } },
  'a moment': { ...plain, asOf: 'time' },
  'a revision': { ...plain, asOf: 'revision' },
  'certainty and what is closed': { ...plain, certainty: true, closed },
  everything: { certainty: true, since: true, asOf: 'revision', graphs, closed },
};

/** StrykerJS runs all this for each mutant: there some shapes do, which have every kind of condition among them. */
const fewShapes = ['the tenant only', 'certainty', 'the default graph', 'a moment', 'everything'];
const shapes = Object.fromEntries(
  Object.entries(allShapes).filter(([name]) => !process.env.MUTANT_TESTS || fewShapes.includes(name)),
);

const fields = new Map([
  ['name', { list: false }],
  ['alias', { list: true }],
  ['salary', { list: false }],
]);
const asked = (shape: Shape): Audited => ({
  shape,
  isOwn: true,
  fields,
  closedProperties: new Set(shape.closed ? ['salary'] : []),
});

const isConfined = (text: string, to: Audited) => {
  try {
    audit(`CYPHER 5\n${text}`, to);
    return true;
  } catch (error) {
    if ((error as Error).name !== 'UnconfinedCypher') throw error;
    return false;
  }
};

/** Ways to break a condition, or a label or type. */
const changes: Record<string, { condition: Change; label: Change }> = {
  'is left out': { condition: () => 'true', label: () => '%' },
  'stands under OR': { condition: (each) => `(${each} OR true)`, label: (each) => `(${each}|%)` },
  'stands under NOT': { condition: (each) => `NOT (${each})`, label: (each) => `!(${each})` },
  'stands under XOR': { condition: (each) => `(${each} XOR $g1)`, label: (each) => `!!(${each})` },
  'is of another variable': {
    condition: (each) => each.replace(/\bv(\d+)\b/g, (_, number) => `v${(Number(number) % 3) + 1}`),
    label: (each) => each.replace(/Entity|Literal|PAST/, 'Person'),
  },
  'is of another parameter': {
    condition: (each) => (/own|l1/.test(each) ? each.replace(/\$own\w+|\$l1/, '$$g2') : 'true'),
    label: () => '(`Task`|%)',
  },
};

const isThorough = (name: string) => name === 'certainty' || (name === 'everything' && !process.env.MUTANT_TESTS);

describe.each(Object.entries(shapes))('with %s', (name, shape) => {
  it.each(Object.entries(texts))('a confined text passes: %s', (_name, write) => {
    expect(() => audit(`CYPHER 5\n${write(new Writer(shape))}`, asked(shape))).not.toThrow();
  });

  // Every condition is left out of every shape; the other ways to break one are the same in all.
  const broken = Object.entries(changes).filter(([each]) => each === 'is left out' || isThorough(name));

  it.each(broken)('a text is refused in which a condition %s', (_change, change) => {
    const passed: string[] = [];
    for (const write of Object.values(texts)) {
      const whole = new Writer(shape);
      const right = write(whole);
      for (let index = 0; index < whole.count; index++) {
        const text = write(new Writer(shape, index, change));
        expect(text).not.toBe(right);
        if (isConfined(text, asked(shape))) passed.push(text);
      }
    }
    expect(passed).toEqual([]);
  });

  it('a text is refused in which a condition stands in the next clause', () => {
    const passed: string[] = [];
    let moves = 0;
    for (const write of Object.values(texts)) {
      const whole = new Writer(shape);
      const right = write(whole);
      for (let index = 0; index < whole.count; index++) {
        const writer = new Writer(shape, index, 'move');
        const text = write(writer);
        if (text === right) continue;
        moves += 1;
        if (isConfined(text, asked(shape))) passed.push(text);
      }
    }
    expect(moves).toBeGreaterThan(20);
    expect(passed).toEqual([]);
  });
});

const isRead = 'v1.tenant = $ownTenant';
const one = `MATCH (v1:\`Entity\`) WHERE ${isRead}`;
/** An end of an edge that says nothing of itself. */
const isThere = (end: string) => `${end}.tenant = $ownTenant AND (${end}:Entity|Literal)`;
const limited = `${one} AND EXISTS { (v1)-[v90:!PAST]-(v89) WHERE ${isThere('v89')} AND v90.statementId IS NOT NULL AND v90.graph IS NULL }`;
const certain = `${one} AND coalesce(v1.highest__certainty, 1.0) >= $ownCertainty`;
const isStated = 'v2.statementId IS NOT NULL';
const edge = `MATCH (v1:\`Entity\`)-[v2:\`KNOWS\`]->(v3:\`Entity\`) WHERE ${isRead} AND v3.tenant = $ownTenant AND ${isStated}`;
const past = `${isStated} AND coalesce(v2.retractedAt > $ownAsOf, true) AND v2.recordedAt <= $ownAsOf`;
const then = `MATCH (v1:\`Entity\`)-[v2]->(v3:\`Entity\`) WHERE ${isRead} AND v3.tenant = $ownTenant AND ${past}`;
const ofGraph: Shape = { ...plain, graphs: { default: true, named: false } };
const ofCertainty: Shape = { ...plain, certainty: true };
const ofMoment: Shape = { ...plain, asOf: 'time' };
const ofPolicy: Shape = { ...plain, closed };
const ofClosed = (name: string, from: string, to: string) => `${texts[name]?.(new Writer(ofPolicy)).replace(from, to)}`;
const open = ofClosed('an entity', '', '').split(' RETURN')[0];
const isCertain = 'coalesce(v1.`name__certainty`, 1.0) >= $ownCertainty';
const entityOf = (shape: Shape) => texts['an entity']?.(new Writer(shape)).split(' RETURN')[0];
const along = `${edge.replace('-[v2:`KNOWS`]', '-[v2:`KNOWS`*]')}`;
/** Of an edge of a path, where its arrow leads. */
const ends = (e: string, end = 'endNode') => `${end}(${e}).tenant = $ownTenant AND (${end}(${e}):Entity|Literal)`;
/** What an aggregate, a list or a path gives is still a node or a relationship. */
const ofNode = ['coalesce($g1, v1)', 'head([v1])', 'last([v1])', 'tail([v1])', 'reverse([v1])', 'nullif(v1, 1)'];
const ofPath = ['nodes(v4)', 'relationships(v4)', 'startNode(v2)', 'endNode(v2)', 'max(v1)', 'min(v1)'];

/** A path of one graph that repeats. */
const repeated = (node: string, condition: string) =>
  `${limited} MATCH (v1) ((${node})-[v2:!PAST]-(v3:\`Entity\`) WHERE v4.tenant = $ownTenant AND v3.tenant = $ownTenant AND v2.graph IS NULL AND ${isStated}${condition}){1,2} (v5:\`Entity\`) WHERE v5.tenant = $ownTenant AND EXISTS { (v5)-[v91:!PAST]-(v88) WHERE ${isThere('v88')} AND v91.statementId IS NOT NULL AND v91.graph IS NULL } RETURN 1 AS v6`;

/** Texts that are not confined, whatever else is right about them, with the rule that says so. */
const hostile: [Shape, [rule: string, text: string][]][] = [
  [
    plain,
    [
      // What no query may do.
      ["the grammar's setClause", `${one} SET v1.\`name\` = $g1 RETURN 1 AS v2`],
      ["the grammar's deleteClause", `${one} DETACH DELETE v1`],
      ["the grammar's createClause", 'CREATE (v1:`Entity`)'],
      ["the grammar's mergeClause", 'MERGE (v1:`Entity`)'],
      ["the grammar's removeClause", `${one} REMOVE v1.\`name\``],
      ["the grammar's foreachClause", 'FOREACH (v1 IN [1] | CREATE (v2:`Entity`))'],
      ["the grammar's loadCSVClause", 'LOAD CSV FROM $g1 AS v1 RETURN 1 AS v2'],
      ["the grammar's callClause", 'CALL db.labels() YIELD label RETURN label AS v1'],
      ["the grammar's callClause", 'CALL apoc.load.json($g1) YIELD value AS v1 RETURN 1 AS v2'],
      ["the grammar's callClause", 'CALL dbms.listConfig()'],
      ["the grammar's useClause", 'USE neo4j RETURN 1 AS v1'],
      [
        "the grammar's subqueryInTransactionsParameters",
        'UNWIND $g1 AS v1 CALL (v1) { RETURN v1 AS v2 } IN TRANSACTIONS RETURN v2',
      ],
      ['reading it failed with RefusedCypher', 'SHOW DATABASES'],
      ['reading it failed with RefusedCypher', 'EXPLAIN RETURN 1 AS v1'],
      ['characters', 'RETURN 1 AS v1; RETURN 2 AS v2'],
      ['a word in nextStatement', 'RETURN 1 AS v1 NEXT RETURN 2 AS v2'],
      ["the grammar's finishClause", 'FINISH'],
      ['reading it failed with RefusedCypher', `${one} USING INDEX v1:\`Entity\`(\`id\`) RETURN 1 AS v2`],
      // Slots for text.
      ['characters', 'RETURN 1 /* v1 */ AS v1'],
      ['characters', 'RETURN 1 AS v1 // v2'],
      ['a text', "RETURN 'text' AS v1"],
      ['characters', 'RETURN "text" AS v1'],
      ['a text', "RETURN $g1 =~ 'text' AS v1"],
      ['a text', "RETURN $g1 STARTS WITH '2024' AS v1"],
      ['a text', "RETURN '2024' =~ '2024' AS v1"],
      ['characters', "RETURN $g1 =~ '\\d' AS v1"],
      ['characters', 'RETURN 1 AS `v1 x`'],
      ['characters', 'RETURN 1 AS `😀`'],
      ["a variable's name", 'RETURN 1 AS name'],
      ["a variable's name", 'RETURN 1 AS v0x'],
      ['a parameter', 'RETURN $param AS v1'],
      ['a parameter', 'RETURN $own AS v1'],
      ['a parameter', 'RETURN $ownTenant AS v1'],
      ['a parameter', 'RETURN $ownGraphs AS v1'],
      ['a parameter', 'RETURN properties($own) AS v1'],
      ['a parameter', 'RETURN $__concord AS v1'],
      ['characters', 'RETURN $`g1 x` AS v1'],
      ['a parameter', 'RETURN $1 AS v1'],
      ['a word in numberLiteral', 'RETURN 0xFF AS v1'],
      ['a word in numberLiteral', 'RETURN 2.5 AS v1'],
      ['a word in numberLiteral', 'RETURN 12345678901 AS v1'],
      ['a word in literal', 'RETURN Infinity AS v1'],
      ['characters', 'RETURN\u00a01 AS v1'],
      // Functions.
      ['a function', `${one} RETURN elementId(v1) AS v2`],
      ['a function', `${one} RETURN id(v1) AS v2`],
      ['a function', 'RETURN file() AS v1'],
      ['a function', 'RETURN apoc.util.md5([$g1]) AS v1'],
      ['a function', 'RETURN `apoc`.`cypher`.`runFirstColumn`($g1, {}, true) AS v1'],
      ['a function', 'RETURN db.nameFromElementId($g1) AS v1'],
      ['a function of a whole node', `${one} RETURN keys(v1) AS v2`],
      ['a function of a whole node', `${one} RETURN properties(v1) AS v2`],
      ['a function of a whole node', `${one} RETURN keys({\`a\`: v1}.\`a\`) AS v2`],
      ['a function of a whole node', `${one} RETURN [v2 IN [v1] | properties(v2)] AS v3`],
      ['a function of a whole node', `${one} WITH {\`a\`: v1} AS v2 RETURN properties(v2.\`a\`) AS v3`],
      ['a function of a whole node', `${one} WITH {\`a\`: 1, \`a\`: v1} AS v2 RETURN keys(v2.\`a\`) AS v3`],
      [
        'a function of a whole node',
        `${one} WITH {\`b\`: 1} AS v2, v1 WITH v2 {\`a\`: v1, .*} AS v3 RETURN properties(v3.\`a\`) AS v4`,
      ],
      ['what is not shown of a node', `${one} RETURN reduce(v2 = null, v3 IN [v1] | v3).tenant AS v4`],
      ['a function of a whole node', `${edge} RETURN properties(v2) AS v4`],
      ['a function of a whole node', `${edge} RETURN keys(startNode(v2)) AS v4`],
      // What is read of a node.
      ['an answer of more than data', `${one} RETURN v1 AS v2`],
      ['an answer of more than data', `${one} RETURN [v1] AS v2`],
      ['an answer of more than data', `${one} RETURN {\`a\`: v1} AS v2`],
      ['an answer of more than data', `${one} RETURN collect(v1) AS v2`],
      ['an answer of more than data', `${one} RETURN CASE WHEN true THEN v1 END AS v2`],
      ['an answer of more than data', `${one} RETURN COLLECT { RETURN v1 } AS v2`],
      [
        'an answer of more than data',
        `${one} RETURN 1 AS v3 UNION MATCH (v2:\`Entity\`) WHERE v2.tenant = $ownTenant RETURN v2 AS v3`,
      ],
      ['an answer of more than data', `${edge} RETURN v2 AS v4`],
      ['an answer of more than data', `MATCH v4 = ${edge.slice(6)} RETURN v4 AS v5`],
      ['what is not shown of a node', `${one} RETURN v1.tenant AS v2`],
      ['what is not shown of a node', `${one} RETURN v1.\`tenant\` AS v2`],
      ['what is not shown of a node', `${one} RETURN v1 {.tenant} AS v2`],
      ['what is not shown of a node', `${one} RETURN v1 {\`x\`: v1.tenant} AS v2`],
      ['all properties at once', `${one} RETURN v1 {.*} AS v2`],
      ['all properties at once', `${one} RETURN v1 {.\`id\`, .*} AS v2`],
      ...ofNode.map((each): [string, string] => ['an answer of more than data', `${one} RETURN ${each} AS v2`]),
      ...ofPath.map((each): [string, string] => [
        'an answer of more than data',
        `MATCH v4 = ${edge.slice(6)} RETURN ${each} AS v5`,
      ]),
      ['an answer of more than data', `${one} RETURN CASE WHEN $g1 THEN 1 ELSE v1 END AS v2`],
      ['an answer of more than data', `${one} RETURN CASE $g1 WHEN 1 THEN 2 ELSE v1 END AS v2`],
      ['an answer of more than data', `${one} RETURN [1, v1] AS v2`],
      ['an answer of more than data', `${one} RETURN {\`a\`: v1, \`a\`: 1} AS v2`],
      ['an answer of more than data', `${one} RETURN {\`a\`: 1, \`b\`: v1} AS v2`],
      ['an answer of more than data', `${one} RETURN 1 AS v2, v1 AS v3`],
      ['an answer of more than data', `${one} RETURN properties({\`a\`: v1}) AS v2`],
      ['an answer of more than data', `${one} WITH {\`a\`: v1} AS v2 RETURN v2 {.*} AS v3`],
      ['an answer of more than data', `${one} WITH {\`b\`: 1} AS v2, v1 RETURN v2 {\`a\`: v1, \`a\`: 1} AS v3`],
      ['an answer of more than data', `${one} WITH CASE WHEN $g1 THEN 1 ELSE {\`a\`: v1} END AS v2 RETURN v2.a AS v3`],
      ['an answer of more than data', `${one} UNWIND CASE WHEN $g1 THEN 1 ELSE [v1] END AS v2 RETURN v2 AS v3`],
      [
        'an answer of more than data',
        `${one} WITH CASE WHEN $g1 THEN {\`a\`: 1} ELSE {\`a\`: v1} END AS v2 RETURN v2.a AS v3`,
      ],
      [
        'an answer of more than data',
        `${one} WITH CASE WHEN $g1 THEN {\`a\`: 1, \`b\`: v1} ELSE {\`a\`: v1, \`b\`: 1} END AS v2 RETURN v2.a AS v3`,
      ],
      ['an answer of more than data', `${one} RETURN v1 AS v3 UNION RETURN 1 AS v3`],
      ['all properties at once', `${edge} RETURN v2 {.*} AS v4`],
      [
        'what is not shown of a node',
        `${one} RETURN reduce(v2 = 1, v3 IN [v1, v1] | CASE WHEN v2 = 1 THEN v3 ELSE v2.tenant END) AS v4`,
      ],
      ['what is not shown of a node', `${edge} RETURN v1.id AS v4 ORDER BY v2.tenant`],
      ['a label test of this form', `${one} RETURN (v1 IS \`Person\`) AS v2`],
      ['a property whose name is not known', `${one} RETURN v1[$g1] AS v2`],
      ['a property whose name is not known', `${one} RETURN [v1][0][$g1] AS v2`],
      ['a property whose name is not known', `${one} RETURN {\`a\`: v1}[$g1][$g2] AS v2`],
      ['what is not shown of a node', `${one} RETURN v1.\`name__certainty\` AS v2`],
      ['what is not shown of a node', `${one} RETURN v1.highest__certainty AS v2`],
      ['what is not shown of a node', `${one} RETURN CASE WHEN true THEN v1 ELSE 1 END.tenant AS v2`],
      ['what is not shown of a node', `${one} RETURN v1.id AS v2 ORDER BY v1.tenant + v1.id`],
      ['what is not shown of a node', `${one} RETURN v1.id AS v2 ORDER BY v1.highest__certainty`],
      ['what is not shown of a node', `${edge} RETURN v2.tenant AS v4`],
      ['what is not shown of a node', `${edge} RETURN endNode(v2).tenant AS v4`],
      // Nodes and relationships that are not confined.
      ['a node of any label', 'MATCH (v1) RETURN 1 AS v2'],
      ['a node of any label', `MATCH (v1) WHERE ${isRead} RETURN 1 AS v2`],
      ['a node of any tenant', 'MATCH (v1:`Entity`) RETURN 1 AS v2'],
      ['a node without a name', 'MATCH () RETURN 1 AS v1'],
      ['a node without a name', 'MATCH (:`Entity`) RETURN 1 AS v1'],
      ['a node of any label', `MATCH (v1:\`Task\`) WHERE ${isRead} RETURN v1.id AS v2`],
      ['a node of any label', `MATCH (v1:\`Entity\`|\`Task\`) WHERE ${isRead} RETURN v1.id AS v2`],
      ['a node of any label', `MATCH (v1:!(\`Entity\`&\`Task\`)) WHERE ${isRead} RETURN v1.id AS v2`],
      ["the grammar's dynamicAnyAllExpression", `MATCH (v1:$($g1)) WHERE ${isRead} RETURN v1.id AS v2`],
      ["the grammar's properties", `MATCH (v1:\`Entity\` {\`id\`: $g1}) WHERE ${isRead} RETURN v1.id AS v2`],
      ["the grammar's properties", `MATCH (v1:\`Entity\` $g1) WHERE ${isRead} RETURN v1.id AS v2`],
      ['a node of any tenant', `MATCH (v1:\`Entity\`), (v2:\`Entity\`) WHERE ${isRead} RETURN v2.id AS v3`],
      ['a node of any tenant', 'MATCH (v1:`Entity`) WHERE v1.tenant = $g1 RETURN 1 AS v2'],
      ['a node of any tenant', 'MATCH (v1:`Entity`) WHERE v1.tenant = v1.tenant RETURN 1 AS v2'],
      ['a node of any tenant', 'MATCH (v1:`Entity`) WHERE v1.tenant <> $ownTenant RETURN 1 AS v2'],
      ['a node of any tenant', 'MATCH (v1:`Entity`) WHERE v1.tenant = $ownPast RETURN 1 AS v2'],
      ['a node of any tenant', 'MATCH (v1:`Entity`) WHERE v1.`tenant_` = $ownTenant RETURN 1 AS v2'],
      ['a node of any tenant', `MATCH (v1:\`Entity\`) WHERE (${isRead}) = $g1 RETURN 1 AS v2`],
      ['a node of any tenant', `MATCH (v1:\`Entity\`) WHERE (${isRead}) IS NOT NULL RETURN 1 AS v2`],
      [
        'a node of any tenant',
        `MATCH (v1:\`Entity\`) WHERE CASE WHEN ${isRead} THEN true ELSE true END RETURN 1 AS v2`,
      ],
      ['a node of any tenant', `MATCH (v1:\`Entity\`) WHERE any(v2 IN [1] WHERE ${isRead}) RETURN 1 AS v3`],
      ['a node of any tenant', `MATCH (v1:\`Entity\`) WHERE EXISTS { RETURN ${isRead} AS v2 } RETURN 1 AS v3`],
      ['a node of any tenant', `MATCH (v1:\`Entity\`) WITH v1 WHERE ${isRead} RETURN 1 AS v2`],
      ['a node of any tenant', `OPTIONAL MATCH (v1:\`Entity\`) WITH * WHERE ${isRead} RETURN v1.id AS v2`],
      [
        'a node of any tenant',
        `MATCH (v1:\`Entity\`) OPTIONAL MATCH (v2:\`Entity\`) WHERE ${isRead} AND v2.tenant = $ownTenant RETURN v1.id AS v3`,
      ],
      ['a node of any tenant', `${one} AND EXISTS { (v2:\`Entity\`) } RETURN 1 AS v3`],
      [
        'a variable that is not bound',
        `${one} AND v2.tenant = $ownTenant AND EXISTS { (v2:\`Entity\`) } RETURN 1 AS v3`,
      ],
      ['a node of any label', `${one} RETURN COUNT { (v2) } AS v3`],
      ['a relationship without a name', `${one} RETURN COUNT { (v1)--() } AS v3`],
      ['a node without a name', `${one} RETURN COUNT { (v1)-[v2:!PAST]-() WHERE ${isStated} } AS v3`],
      ['a node of any tenant', `${one} RETURN COUNT { MATCH (v1) MATCH (v2:\`Entity\`) RETURN v2.id AS v3 } AS v4`],
      ['a node of any tenant', `${one} RETURN [(v1)-[v2:\`KNOWS\`]->(v3:\`Entity\`) WHERE ${isStated} | v3.id] AS v4`],
      [
        'a node of any tenant',
        `${one} RETURN [(v1)-[v2:\`KNOWS\`]->(v3:\`Entity\`) WHERE ${isStated} | v3.tenant = $ownTenant] AS v4`,
      ],
      ["the grammar's patternExpression", `${one} AND (v1)-->() RETURN 1 AS v2`],
      ["the grammar's patternExpression", `${one} RETURN exists((v1)-->()) AS v2`],
      ["the grammar's shortestPathExpression", `${one} RETURN shortestPath((v1)-[v2*]-(v1)) AS v3`],
      [
        'a relationship without a name',
        `${one} MATCH (v1)-->(v3:\`Entity\`) WHERE v3.tenant = $ownTenant RETURN 1 AS v4`,
      ],
      [
        'a relationship that need not qualify',
        `${one} MATCH (v1)-[v2]->(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND ${isStated} RETURN 1 AS v4`,
      ],
      [
        'a relationship that need not qualify',
        `${one} MATCH (v1)-[v2:\`PAST\`]->(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND ${isStated} RETURN 1 AS v4`,
      ],
      [
        'a relationship that need not qualify',
        `${one} MATCH (v1)-[v2:\`KNOWS\`|\`PAST\`]->(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND ${isStated} RETURN 1 AS v4`,
      ],
      [
        'a relationship that need not qualify',
        `${one} MATCH (v1)-[v2:\`KNOWS\`|!PAST]->(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND ${isStated} RETURN 1 AS v4`,
      ],
      [
        'a relationship that need not qualify',
        `${one} MATCH (v1)-[v2:!!PAST]->(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND ${isStated} RETURN 1 AS v4`,
      ],
      [
        'a relationship that need not qualify',
        `${one} MATCH (v1)-[v2:%]->(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND ${isStated} RETURN 1 AS v4`,
      ],
      [
        'a relationship that need not qualify',
        `${one} MATCH (v1)-[v2*]->(v3:\`Entity\`) WHERE v3.tenant = $ownTenant RETURN 1 AS v4`,
      ],
      [
        'a relationship that need not qualify',
        `${one} MATCH (v1)-[v2*]->(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND any(v5 IN v2 WHERE ${ends('v5')} AND v5.statementId IS NOT NULL AND type(v5) <> $ownPast) RETURN 1 AS v4`,
      ],
      [
        'a relationship that need not qualify',
        `${one} MATCH (v1)-[v2*]->(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND all(v5 IN tail(v2) WHERE ${ends('v5')} AND v5.statementId IS NOT NULL AND type(v5) <> $ownPast) RETURN 1 AS v4`,
      ],
      [
        'a relationship that need not qualify',
        `${one} MATCH (v1)-[v2*]->(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND all(v5 IN v2 WHERE ${ends('v5')} AND type(v5) <> $g1) RETURN 1 AS v4`,
      ],
      // What a path passes on its way, at the other end, or at one of two.
      [
        'a relationship that need not qualify',
        `${one} MATCH (v1)-[v2*]->(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND all(v5 IN v2 WHERE ${ends('v5', 'startNode')} AND v5.statementId IS NOT NULL AND type(v5) <> $ownPast) RETURN 1 AS v4`,
      ],
      [
        'a relationship that need not qualify',
        `${one} MATCH (v1)<-[v2*]-(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND all(v5 IN v2 WHERE ${ends('v5')} AND v5.statementId IS NOT NULL AND type(v5) <> $ownPast) RETURN 1 AS v4`,
      ],
      [
        'a relationship that need not qualify',
        `${one} MATCH (v1)-[v2*]-(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND all(v5 IN v2 WHERE ${ends('v5')} AND v5.statementId IS NOT NULL AND type(v5) <> $ownPast) RETURN 1 AS v4`,
      ],
      [
        'a repeated path between no nodes',
        `${one} MATCH v4 = ((v1)-[v2:!PAST]->(v3:\`Entity\`)){0,1} RETURN length(v4) AS v5`,
      ],
      [
        'a repeated path between no nodes',
        `MATCH v4 = ((v1:\`Entity\`)-[v2:!PAST]->(v3:\`Entity\`) WHERE ${isRead} AND v3.tenant = $ownTenant){0,1} RETURN [v5 IN nodes(v4) | v5.id] AS v6`,
      ],
      [
        'a node of any tenant',
        `${one} MATCH (v1) ((v2:\`Entity\`)-[v3:!PAST]->(v4:\`Entity\`)){1,2} (v5:\`Entity\`) WHERE v2.tenant = $ownTenant AND v4.tenant = $ownTenant AND v5.tenant = $ownTenant RETURN 1 AS v6`,
      ],
      [
        "the grammar's pathPatternPrefix",
        `${one} MATCH v4 = ANY SHORTEST (v1)-[v2:!PAST]->+(v3:\`Entity\`) WHERE v3.tenant = $ownTenant RETURN length(v4) AS v5`,
      ],
      // Variables that look bound.
      ['a variable that is not bound', 'RETURN v1 AS v2'],
      ['a variable that is not bound', 'RETURN [v1 IN [1] | v1] + v1 AS v2'],
      ['a variable that is bound twice', `${one} WITH v1.id AS v2 MATCH (v1) RETURN 1 AS v3`],
      ['a variable that is bound twice', `${one} WITH v1.id AS v2 MATCH (v1:\`Entity\`) RETURN v1.\`name\` AS v3`],
      ['a variable that is not bound', `${one} WITH v1.id AS v2 RETURN v1.id AS v3`],
      ['a variable that is bound twice', `${one} WITH v1 AS v2 MATCH (v1) RETURN 1 AS v3`],
      ['a variable that is bound twice', `RETURN EXISTS { ${one} RETURN 1 AS v3 } AS v4, COUNT { (v1) } AS v5`],
      ['a node of any label', `${one} RETURN EXISTS { WITH 1 AS v2 MATCH (v1) RETURN 1 AS v3 } AS v4`],
      ['a variable that is bound twice', `${one} RETURN [v1.id] AS v2 UNION MATCH (v1) RETURN [1] AS v2`],
      ['a node of any label', `${one} RETURN v1.id AS v2 UNION MATCH (v3) RETURN 1 AS v2`],
      ['a variable that is bound twice', `${one} CALL () { MATCH (v1) RETURN 1 AS v2 } RETURN v2`],
      ['CALL without imports', `${one} CALL { MATCH (v1) RETURN 1 AS v2 } RETURN v2`],
      ['CALL without imports', `${one} CALL (*) { MATCH (v1) RETURN 1 AS v2 } RETURN v2`],
      ['a variable that is not bound', `${one} CALL () { WITH v1 RETURN 1 AS v2 } RETURN v2`],
      ['a node of any label', `${one} CALL (v1) { WITH 1 AS v3 MATCH (v1) RETURN 1 AS v2 } RETURN v2`],
      ['a variable that is not bound', `${one} CALL (v5) { RETURN 1 AS v2 } RETURN v2`],
      ['a variable that is bound twice', `CALL () { ${one} RETURN v1.id AS v2 } MATCH (v1) RETURN v2`],
      ['a node that is none', `UNWIND [1] AS v1 MATCH (v1) RETURN 1 AS v2`],
      ['a node that is none', `UNWIND $g1 AS v1 MATCH (v1:\`Entity\`) RETURN v1.id AS v2`],
      ['a variable that is bound twice', `${one} RETURN [v1 IN [1] | v1] AS v2`],
      [
        'a variable that is bound twice',
        `${one} MATCH (v2:\`Entity\`) WHERE v2.tenant = $ownTenant RETURN [v2 IN $g1 | v2] AS v3`,
      ],
      ['a variable that is bound twice', `${one} WITH 1 AS v1 RETURN v1`],
      ['a projection of all', `${one} WITH DISTINCT * RETURN v1.id AS v2`],
      ['a projection of all', `${one} RETURN *`],
      ['a projection of all', 'RETURN ALL 1 AS v1'],
      // Where rows are made one, Neo4j takes a variable that is no column for a new one.
      ['a node of any label', `${one} RETURN count(*) AS v2 ORDER BY EXISTS { (v1)-[v3:!PAST]-() }`],
      ['a node of any label', `${one} RETURN DISTINCT 1 AS v2 ORDER BY EXISTS { (v1)-[v3:!PAST]-() }`],
      ['a node of which nothing may be known', `MATCH (v1:\`Literal\`&\`Task\`) WHERE ${isRead} RETURN v1.id AS v2`],
      [
        'a repeated path between no nodes',
        `${one} MATCH v4 = (v1) ((v5:\`Entity\`)-[v2:!PAST]->(v3:\`Entity\`) WHERE v5.tenant = $ownTenant AND v3.tenant = $ownTenant){0,1} RETURN length(v4) AS v6`,
      ],
      [
        'a relationship that need not qualify',
        `${one} MATCH (v1)-[v2*]->(v3:\`Entity\`)-[v4*]->(v5:\`Entity\`) WHERE v3.tenant = $ownTenant AND v5.tenant = $ownTenant AND all(v6 IN v2 WHERE ${ends('v6')} AND v6.statementId IS NOT NULL AND type(v6) <> $ownPast) RETURN 1 AS v7`,
      ],
      ['a variable that is not bound', `${one} RETURN v1.id AS v2 LIMIT v1.id`],
      ['a relationship that may be another', `${edge} MATCH (v3)-[v2*]->(v1) RETURN 1 AS v5`],
      [
        'a relationship that may be another',
        `MATCH (v1:\`Entity\`)-[v2:\`KNOWS\`]->(v3:\`Entity\`), (v3)-[v2]->(v1) WHERE ${isRead} AND v3.tenant = $ownTenant AND ${isStated} RETURN 1 AS v4`,
      ],
      [
        'a node that may be another',
        'UNWIND [1] AS v2 RETURN COLLECT { WITH 1 AS v3 MATCH (v2:`Entity`) WHERE v2.tenant = $ownTenant RETURN v2.id AS v4 } AS v5',
      ],
      [
        'a node that may be another',
        `${one} MATCH (v5:\`Entity\`) ((v1:\`Entity\`)-[v3:!PAST]->(v4:\`Entity\`) WHERE ${isRead} AND v4.tenant = $ownTenant){1,2} (v6:\`Entity\`) WHERE v5.tenant = $ownTenant AND v6.tenant = $ownTenant RETURN 1 AS v7`,
      ],
      [
        'a node of any label',
        `${one} RETURN COLLECT { WITH 1 AS v2 RETURN EXISTS { (v1)-[v3:!PAST]-() } AS v4 } AS v5`,
      ],
      [
        'a node of which nothing may be known',
        `MATCH (v1:\`Literal\`) WHERE ${isRead} AND ((v1:Entity) OR EXISTS { (v1)-[v90:!PAST]-() } OR true) RETURN 1 AS v2`,
      ],
      [
        'a parameter',
        `${along} AND all(v5 IN v2 WHERE ${ends('v5')} AND v5.statementId IS NOT NULL AND type(v5) <> $ownPast) AND any(v6 IN v2 WHERE v6.statementId IS NOT NULL AND type(v6) <> $ownPast) RETURN 1 AS v7`,
      ],
      ['a column without a name', `${one} WITH v1.id RETURN 1 AS v2`],
      ['a node without a name', `${edge} WITH collect(v2) AS v4 MATCH ()-[v4*]->() RETURN 1 AS v5`],
      ['a node of any tenant', `${one} MATCH (v2:\`Entity\` WHERE v1.tenant = $ownTenant) RETURN v2.id AS v3`],
    ],
  ],
  [
    ofGraph,
    [
      ['a node of which nothing may be known', `${one} RETURN v1.id AS v2`],
      ['a property as it is', `${limited} RETURN v1.\`name\` AS v2`],
      ['a property as it is', `${limited} RETURN v1 {.\`name\`} AS v2`],
      ['a property as it is', `${limited} RETURN v1.value AS v2`],
      ['a property as it is', `${limited} AND (v1:Literal) AND v1.value = $g1 RETURN 1 AS v2`],
      ['a property as it is', `${limited} RETURN CASE WHEN (v1:Literal) OR $g1 THEN v1.value END AS v2`],
      ['a property as it is', `${limited} RETURN CASE WHEN NOT (v1:Literal) THEN v1.value END AS v2`],
      ['a property as it is', `${limited} RETURN CASE WHEN (v1:Literal) THEN 1 ELSE v1.value END AS v2`],
      ['a property as it is', `${limited} RETURN CASE WHEN (v1:Literal) THEN v1.\`name\` END AS v2`],
      ['a property as it is', `${limited} RETURN CASE WHEN (v1:Entity) THEN v1.value END AS v2`],
      ['a property as it is', `${limited} RETURN [v1][0].\`name\` AS v2`],
      ['a property as it is', `${limited} RETURN [v2 IN [v1] | v2.\`name\`] AS v3`],
      ['a property as it is', `${limited} RETURN ([v1] + [1])[0].id AS v3`],
      ['a property as it is', `${limited} RETURN CASE v1.\`name\` WHEN 1 THEN 2 END AS v2`],
      ['a property as it is', `${limited} RETURN [CASE WHEN (v1:Literal) THEN v1 ELSE v1 END][0].value AS v2`],
      ['a property as it is', `${limited.replace('(v1:`Entity`)', '(v1:`Literal`&`Entity`)')} RETURN v1.value AS v2`],
      [
        'a node of which nothing may be known',
        `${limited} MATCH (v1)-[v2:\`KNOWS\` WHERE ${ends('v2')} AND v2.statementId IS NOT NULL AND v2.graph IS NULL]->{0,2}(v3:\`Entity\`) WHERE v3.tenant = $ownTenant RETURN v3.id AS v5`,
      ],
      ['a property as it is', `${limited} RETURN CASE $g1 WHEN > v1.\`name\` THEN 2 END AS v2`],
      ['a property as it is', `${limited} RETURN CASE WHEN v1.\`name\` = $g1 THEN 2 END AS v2`],
      ['a property as it is', `${limited} RETURN CASE WHEN (v1:!Literal) THEN v1.value END AS v2`],
      ['a property as it is', `${limited} RETURN [v2 IN [v1] WHERE v2.\`name\` = $g1 | 1] AS v3`],
      ['a property as it is', `${limited} RETURN any(v2 IN [v1] WHERE v2.\`name\` = $g1) AS v3`],
      ['a property as it is', `${limited} RETURN [1][v1.\`name\`] AS v3`],
      ['a property as it is', `${limited} AND $g1 STARTS WITH v1.\`name\` RETURN 1 AS v3`],
      ['a property as it is', `${limited} WITH v1 WHERE v1.\`name\` = $g1 RETURN 1 AS v3`],
      ['a property as it is', `${limited} RETURN reduce(v2 = [v1], v3 IN [1, 2] | [v2[0].id, v2[0]]) AS v4`],
      [
        'a property as it is',
        `MATCH (v1:\`Entity\` WHERE v1.\`name\` = $g1) WHERE ${limited.split('WHERE').slice(1).join('WHERE')} RETURN 1 AS v2`,
      ],
      [
        'a property as it is',
        `${edge.replace('[v2:`KNOWS`]', '[v2:`KNOWS` WHERE v1.`name` = $g1]')} AND v2.statementId IS NOT NULL AND v2.graph IS NULL RETURN 1 AS v4`,
      ],
      [
        'a property as it is',
        `MATCH ((v1:\`Entity\`)-[v2:!PAST]-(v3:\`Entity\`) WHERE v1.\`name\` = $g1) WHERE ${isRead} AND v3.tenant = $ownTenant AND v2.statementId IS NOT NULL AND v2.graph IS NULL RETURN 1 AS v4`,
      ],
      ['a property as it is', repeated('v4:`Entity`', ' AND v4.`name` = $g1')],
      ['a property as it is', repeated('v4:`Entity` WHERE v4.`name` = $g1', '')],
      ['a property as it is', `${limited} UNWIND [v1, 1] AS v2 RETURN v2.\`name\` AS v3`],
      ['a function of a whole node', `${limited} RETURN point(v1) AS v2`],
      ['a function of a whole node', `${limited} RETURN date(v1) AS v2`],
      ['a property as it is', `${limited} RETURN v1.id AS v2 ORDER BY v1.\`name\``],
      ['what is not shown of a node', `${limited} RETURN ${isCertain} AS v2`],
      ['what is not shown of a node', `${limited} RETURN CASE WHEN ${isCertain} THEN v1.\`name\` END AS v2`],
      ['a node of which nothing may be known', `${certain} RETURN 1 AS v2`],
      ['a node of which nothing may be known', `${one} AND EXISTS { (v1)-[v90:!PAST]-() } RETURN 1 AS v2`],
      [
        'a node of which nothing may be known',
        `${one} AND EXISTS { (v1)-[v90:!PAST]-(v89) WHERE ${isThere('v89')} AND v90.statementId IS NOT NULL AND v90.graph IS NULL OR true } RETURN 1 AS v2`,
      ],
      [
        'a node of which nothing may be known',
        `${one} AND EXISTS { (v1)-[v90:!PAST*0..1]-(v89) WHERE ${isThere('v89')} AND v90.statementId IS NOT NULL AND v90.graph IS NULL } RETURN 1 AS v2`,
      ],
      [
        'a node of which nothing may be known',
        `${one} AND EXISTS { (v1)-[v90:!PAST WHERE v90.statementId IS NOT NULL AND v90.graph IS NULL]-{0,1}(v89) WHERE ${isThere('v89')} AND v90.statementId IS NOT NULL AND v90.graph IS NULL } RETURN 1 AS v2`,
      ],
      [
        'a node of which nothing may be known',
        `${one} AND EXISTS { (v1)-[v90:!PAST]-(v89:\`Entity\`) WHERE ${isThere('v89')} AND v90.statementId IS NOT NULL AND v90.graph IS NULL } RETURN 1 AS v2`,
      ],
      ...['', 'v89.tenant = $ownTenant AND ', '(v89:Entity|Literal) AND ', `${isThere('v1')} AND `].map(
        (each): [string, string] => [
          'a node of which nothing may be known',
          `${one} AND EXISTS { (v1)-[v90:!PAST]-(v89) WHERE ${each}v90.statementId IS NOT NULL AND v90.graph IS NULL } RETURN 1 AS v2`,
        ],
      ),
      [
        'a node of which nothing may be known',
        `${one} AND EXISTS { (v1)-[v90]-(v89) WHERE ${isThere('v89')} AND v90.statementId IS NOT NULL AND v90.graph IS NULL } RETURN 1 AS v2`,
      ],
      [
        'a node of which nothing may be known',
        `${one} AND EXISTS { (v1), ()-[v90:!PAST]-(v89) WHERE ${isThere('v89')} AND v90.statementId IS NOT NULL AND v90.graph IS NULL } RETURN 1 AS v2`,
      ],
      [
        'a node of which nothing may be known',
        `${one} AND NOT EXISTS { (v1)-[v90:!PAST]-(v89) WHERE ${isThere('v89')} AND v90.statementId IS NOT NULL AND v90.graph IS NULL } RETURN 1 AS v2`,
      ],
      [
        'a node of which nothing may be known',
        `${one} AND EXISTS { (v1)-[v90:!PAST]-(v89) WHERE ${isThere('v89')} AND v90.statementId IS NOT NULL AND v90.graph IS NULL AND v1.\`name\` = $g1 } RETURN 1 AS v2`,
      ],
      ...[
        '(v1)-[v90:!PAST]-(v89), (v1)-[v91]-()',
        '(v1)-[v90:!PAST]-(v89)-[v91]-()',
        '(v1)-[v90:!PAST WHERE v1.`name` = $g1]-(v89)',
        '(v1:`Person`)-[v90:!PAST]-(v89)',
      ].map((each): [string, string] => [
        'a node of which nothing may be known',
        `${one} AND EXISTS { ${each} WHERE ${isThere('v89')} AND v90.statementId IS NOT NULL AND v90.graph IS NULL } RETURN 1 AS v2`,
      ]),
      [
        'a node of which nothing may be known',
        `MATCH (v1:\`Literal\`) WHERE ${isRead} AND ((v1:Entity) OR EXISTS { (v1)-[v90:!PAST]-(v89) WHERE ${isThere('v89')} AND v90.statementId IS NOT NULL AND v90.graph IS NULL }) RETURN 1 AS v2`,
      ],
      [
        'a node of which nothing may be known',
        `${one} AND EXISTS { (v5)-[v90:!PAST]-(v89) WHERE ${isThere('v89')} AND v90.statementId IS NOT NULL AND v90.graph IS NULL } RETURN 1 AS v2`,
      ],
      [
        'a node of any label',
        `${limited} AND EXISTS { (v5)-[v91:!PAST]-(v88) WHERE ${isThere('v88')} AND v91.statementId IS NOT NULL AND v91.graph IS NULL } RETURN 1 AS v2`,
      ],
      [
        'a node without a name',
        `${limited} AND COUNT { (v1)-[v91:!PAST]-() WHERE v91.statementId IS NOT NULL AND v91.graph IS NULL } > 1 RETURN 1 AS v2`,
      ],
      ['a relationship that need not qualify', `${edge} RETURN 1 AS v4`],
      ['a relationship that need not qualify', `${edge} AND v2.graph IN $ownGraphs RETURN 1 AS v4`],
      ['a relationship that need not qualify', `${edge} AND v2.graph IS NOT NULL RETURN 1 AS v4`],
      [
        'a relationship that need not qualify',
        `${edge} AND (v2.statementId IS NOT NULL AND v2.graph IS NULL OR v2.graph IN $ownGraphs) RETURN 1 AS v4`,
      ],
      [
        'a node of which nothing may be known',
        `${limited} MATCH (v1)-[v2:\`KNOWS\`*0..1]->(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND all(v4 IN v2 WHERE ${ends('v4')} AND v4.statementId IS NOT NULL AND v4.graph IS NULL) RETURN v3.id AS v5`,
      ],
      [
        'a relationship that need not qualify',
        `${limited} MATCH (v1)-[v2:\`KNOWS\`*..2]->(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND all(v4 IN v2 WHERE ${ends('v4')} AND v4.statementId IS NOT NULL AND v4.graph IS NULL OR $g1) RETURN v3.id AS v5`,
      ],
      [
        'a node of which nothing may be known',
        `${limited} MATCH (v1)-[v2:\`KNOWS\` WHERE ${ends('v2')} AND v2.statementId IS NOT NULL AND v2.graph IS NULL]->*(v3:\`Entity\`) WHERE v3.tenant = $ownTenant RETURN v3.id AS v5`,
      ],
      [
        'a relationship that need not qualify',
        `${limited} MATCH (v1)-[v2:\`KNOWS\`]->{1,2}(v3:\`Entity\`) WHERE v3.tenant = $ownTenant AND v2.statementId IS NOT NULL AND v2.graph IS NULL RETURN v3.id AS v5`,
      ],
    ],
  ],
  [
    ofCertainty,
    [
      ['a property as it is', `${certain} RETURN v1.\`name\` AS v2`],
      ['what is not shown of a node', `${certain} RETURN ${isCertain} AS v2`],
      ['what is not shown of a node', `${certain} AND ${isCertain} RETURN 1 AS v2`],
      ['a property as it is', `${certain} AND NOT (v1.\`name\` = $g1 AND ${isCertain}) RETURN 1 AS v2`],
      ['a property as it is', `${certain} AND (v1.\`name\` = $g1 OR ${isCertain}) RETURN 1 AS v2`],
      ['a property as it is', `${certain} AND v1.\`name\` IS NULL AND ${isCertain} RETURN 1 AS v2`],
      ['a property as it is', `${certain} AND v1.\`name\` =~ $g1 AND ${isCertain} RETURN 1 AS v2`],
      [
        'a property as it is',
        `${certain} AND v1.\`name\` = $g1 AND coalesce(v1.\`salary__certainty\`, 1.0) >= $ownCertainty RETURN 1 AS v2`,
      ],
      [
        'a property as it is',
        `${certain} AND v1.\`alias\` = $g1 AND coalesce(v1.\`alias__certainty\`, 1.0) >= $ownCertainty RETURN 1 AS v2`,
      ],
      [
        'a property as it is',
        `${certain} AND v1.\`left\` = $g1 AND coalesce(v1.\`left__certainty\`, 1.0) >= $ownCertainty RETURN 1 AS v2`,
      ],
      ['a property as it is', `${certain} AND $g1 = v1.\`name\` + $g2 AND ${isCertain} RETURN 1 AS v2`],
      // Of a condition that is worked out first more is known than whether it is true.
      ['a property as it is', `${certain} WITH *, (v1.\`name\` = $g1 AND ${isCertain}) AS v2 WHERE v2 RETURN 1 AS v3`],
      ['a property as it is', `${certain} AND v1.\`name\` = v1.\`salary\` AND ${isCertain} RETURN 1 AS v2`],
      ['a property as it is', `${certain} AND v1.\`name\` < v1.\`salary\` < $g1 AND ${isCertain} RETURN 1 AS v2`],
      [
        'a property as it is',
        `${certain} UNWIND [v1, 1] AS v2 WITH v2 WHERE v2.\`name\` = $g1 AND ${isCertain.replace('v1', 'v2')} RETURN 1 AS v3`,
      ],
      [
        'a node of which nothing may be known',
        `MATCH (v1:\`Entity\`), (v2:\`Entity\`) WHERE ${isRead} AND v2.tenant = $ownTenant AND v1.\`name\` = $g1 AND ${isCertain} RETURN 1 AS v3`,
      ],
      ['what is not shown of a node', `${certain} RETURN CASE WHEN ${isCertain} THEN v1.\`name\`.id END AS v2`],
      ['what is not shown of a node', `${certain} RETURN CASE WHEN ${isCertain} THEN 1 ELSE 2 END AS v2`],
      ['what is not shown of a node', `${certain} RETURN CASE WHEN ${isCertain} THEN v1.\`name\` ELSE 2 END AS v2`],
      ['what is not shown of a node', `${certain} RETURN CASE WHEN ${isCertain} THEN v1.\`salary\` END AS v2`],
      ['what is not shown of a node', `${certain} RETURN CASE WHEN ${isCertain} OR true THEN v1.\`name\` END AS v2`],
      [
        'what is not shown of a node',
        `${certain} RETURN CASE WHEN ${isCertain} THEN v1.\`name\` WHEN true THEN 2 END AS v2`,
      ],
      ['what is not shown of a node', `${certain} RETURN CASE WHEN ${isCertain} THEN v1.\`name\` IS NULL END AS v2`],
      [
        'what is not shown of a node',
        `${certain} AND CASE WHEN ${isCertain} THEN v1.\`name\` IS NULL ELSE false END RETURN 1 AS v2`,
      ],
      [
        'a node of which nothing may be known',
        `${one} AND v1.\`id\` = $g1 AND coalesce(v1.\`id__certainty\`, 1.0) >= $ownCertainty RETURN 1 AS v2`,
      ],
      ['a node of which nothing may be known', `${one} AND v1.\`name\` IS NULL AND ${isCertain} RETURN 1 AS v2`],
      ['a node of which nothing may be known', `${one} AND NOT v1.\`name\` = $g1 AND ${isCertain} RETURN 1 AS v2`],
      ['a node of which nothing may be known', `${one} AND coalesce(v1.highest__certainty, 1.0) >= $g1 RETURN 1 AS v2`],
      ['what is not shown of a node', `${certain} RETURN coalesce(v1.highest__certainty, 0) AS v2`],
      [
        'a node of which nothing may be known',
        `MATCH (v1:\`Literal\`) WHERE ${isRead} AND coalesce(v1.highest__certainty, 1.0) >= $ownCertainty RETURN 1 AS v2`,
      ],
      [
        'a node of which nothing may be known',
        `MATCH (v1:\`Entity\`|\`Literal\`) WHERE ${isRead} AND coalesce(v1.highest__certainty, 1.0) >= $ownCertainty RETURN 1 AS v2`,
      ],
    ],
  ],
  [
    ofMoment,
    [
      ['a relationship that need not qualify', `${edge} AND ${past} RETURN 1 AS v4`],
      ['a relationship that need not qualify', `${then.replace('[v2]', '[v2:!PAST]')} RETURN 1 AS v4`],
      ['a relationship that need not qualify', `${then.replace('[v2]', '[v2:`PAST`]')} RETURN 1 AS v4`],
      ['a relationship that need not qualify', `${then.replace('[v2]', '[v2:`KNOWS`|`PAST`]')} RETURN 1 AS v4`],
      [
        'a relationship that need not qualify',
        `${then.replace('[v2]', '[v2:`KNOWS`|`PAST`]')} AND v2.relationshipType IN $l1 RETURN 1 AS v4`,
      ],
      [
        'a relationship that need not qualify',
        `${then.replace('[v2]', '[v2:`KNOWS`|`PAST`]')} AND coalesce(v2.relationshipType IN $g1, true) RETURN 1 AS v4`,
      ],
      ['the present type', `${then} RETURN type(v2) AS v4`],
      ['what was not known then', `${then} RETURN v2.relationshipType AS v4`],
      ['what was not known then', `${then} AND coalesce(v2.relationshipType IN $l1, true) RETURN 1 AS v4`],
      ['the present type', `${then} AND type(v2) <> $ownPast RETURN 1 AS v4`],
      ['what was not known then', `${then} RETURN v2.retractedAt AS v4`],
      ['what was not known then', `${then} RETURN v2 {.retractedIn} AS v4`],
      ['what was not known then', `${then} AND v2.retractedAt IS NULL RETURN 1 AS v4`],
      ['what was not known then', `${then} AND coalesce(v2.retractedAt > $g1, true) RETURN 1 AS v4`],
      ['a test of the present type', `${then} RETURN (v2:\`PAST\`) AS v4`],
      ['a test of the present type', `${then} UNWIND [v2, 1] AS v4 RETURN (v4:\`PAST\`) AS v5`],
      ['a property as it is', `${then} RETURN coalesce(v1.relationshipType, type(v1)) AS v4`],
      [
        'the present type',
        `MATCH v4 = ${then.slice(6)} AND all(v5 IN relationships(v4) WHERE v5.statementId IS NOT NULL AND type(v5) <> $ownPast) RETURN 1 AS v6`,
      ],
      [
        'a relationship that need not qualify',
        `${then.replace('[v2]', '[v2:!`KNOWS`|`PAST`]')} AND coalesce(v2.relationshipType IN $l1, true) RETURN 1 AS v4`,
      ],
      ['a label test of this form', `${then} RETURN CASE v2 WHEN :\`PAST\` THEN 1 END AS v4`],
      ['what was not known then', `${then} RETURN coalesce(v2.relationshipType, v2.id) AS v4`],
      ['what was not known then', `${then} RETURN coalesce(v2.relationshipType, type(v2), 1) AS v4`],
      ['the present type', `${then} MATCH (v1)-[v2:\`KNOWS\`]->(v3) RETURN 1 AS v4`],
      ['the present type', `${then} MATCH (v1)-[v2:!PAST]->(v3) RETURN 1 AS v4`],
      [
        'a relationship that need not qualify',
        `${then.replaceAll('$ownAsOf', 'datetime($g1)').replace('[v2]', '[v2:!PAST]')} RETURN 1 AS v4`,
      ],
      ['a relationship that need not qualify', `${then.replace('$ownAsOf', 'datetime($g1)')} RETURN 1 AS v4`],
      ['a relationship that need not qualify', `${then.replaceAll('$ownAsOf', '$g1')} RETURN 1 AS v4`],
      ['a relationship that need not qualify', `${then.replaceAll('$ownAsOf', 'datetime()')} RETURN 1 AS v4`],
      ['a relationship that need not qualify', `${then.replaceAll('At', 'Revision')} RETURN 1 AS v4`],
    ],
  ],
  [
    ofPolicy,
    [
      ['a closed label', `MATCH (v1:\`Secret\`&\`Entity\`)-[v2:!PAST]-(v3:\`Entity\`) WHERE ${isRead} RETURN 1 AS v4`],
      ['a closed label', `${open} RETURN (v1:Secret) AS v4`],
      ['a closed label', `${open} RETURN EXISTS { (v1:\`Secret\`) } AS v4`],
      ['a property as it is', `${open} RETURN v1.\`salary\` AS v4`],
      ['a property as it is', `${open} RETURN v1 {.\`salary\`} AS v4`],
      ['a property as it is', `${open} RETURN v1.\`left\` AS v4`],
      ['a property as it is', `${open} RETURN v1.value AS v4`],
      ['a closed type', `${open} UNWIND [v1, 1] AS v4 RETURN (v4:\`HIDES\`) AS v5`],
      ['a closed label', `${open} UNWIND [v1, 1] AS v4 RETURN (v4:\`Secret\`) AS v5`],
      ['a closed type', ofClosed('optional', '`KNOWS`', '`HIDES`')],
      ['a closed type', ofClosed('relationships of any type', 'count(*)', '(v2:`HIDES`)')],
      ['a closed type', ofClosed('a type expression', '`KNOWS`', '`HIDES`')],
    ],
  ],
  [
    { ...ofCertainty, closed },
    [
      ['a node of which nothing may be known', `${certain} RETURN 1 AS v2`],
      [
        'what is not shown of a node',
        `${entityOf({ ...ofCertainty, closed })} RETURN CASE WHEN ${isCertain.replace('name', 'salary')} THEN v1.\`salary\` END AS v4`,
      ],
    ],
  ],
  // Where more than certainty limits what is read, a projected value is another statement's.
  ...[{ since: true }, { asOf: 'revision' as const }, { graphs }].map((more): (typeof hostile)[number] => {
    const shape: Shape = { ...ofCertainty, ...more };
    return [
      shape,
      [
        ['what is not shown of a node', `${entityOf(shape)} RETURN CASE WHEN ${isCertain} THEN v1.\`name\` END AS v4`],
        ['a property as it is', `${entityOf(shape)} RETURN v1.\`name\` AS v4`],
      ],
    ];
  }),
];

describe('A text that a broken rewriter, or an attacker, would make', () => {
  it.each(hostile.flatMap(([shape, all]) => all.map(([rule, text]) => [text, rule, shape] as const)))(
    'is refused: %s',
    (text, rule, shape) => {
      expect(() => audit(`CYPHER 5\n${text}`, asked(shape))).toThrow(new UnconfinedCypher(rule));
    },
  );

  it('is refused without the version of Cypher, or with another', () => {
    for (const version of ['', 'CYPHER 25\n', 'CYPHER 5 ', 'PROFILE\nCYPHER 5\n'])
      expect(() => audit(`${version}RETURN 1 AS v1`, asked(plain))).toThrow('the version');
  });

  it('is refused where it reads as of a moment of its own and is not made of the schema', () => {
    const text = `CYPHER 5\n${texts['a moment of its own']?.(new Writer(plain))}`;
    expect(() => audit(text, asked(plain))).not.toThrow();
    expect(() => audit(text, { ...asked(plain), isOwn: false })).toThrow('need not qualify');
  });

  describe('where certainty is required, sorts by a property as it is', () => {
    const known = 'coalesce(v1.name__certainty, 1.0) >= $ownCertainty';
    const highest = 'coalesce(v1.highest__certainty, 1.0) >= $ownCertainty';
    const sorted = (where: string, rest = 'WITH v1 ORDER BY v1.tenant, v1.name DESC LIMIT $g1') =>
      `MATCH (v1:\`Person\`&\`Entity\`) WHERE ${where} ${rest} RETURN v1.id AS v9`;
    const shown = `${isRead} AND v1.name IS NOT NULL AND ${known}`;
    const certainly = { ...plain, certainty: true };

    it.each([
      ['every row has a value that qualifies', sorted(shown)],
      ['and behind others', sorted(shown, 'WITH * WITH v1 ORDER BY v1.name')],
      ['and is behind a value', sorted(`${isRead} AND v1.name >= $g1 AND ${known}`)],
    ])('where %s', (_, text) => {
      expect(() => audit(`CYPHER 5\n${text}`, asked(certainly))).not.toThrow();
    });

    it.each([
      ['its certainty is not asked for', sorted(`${isRead} AND v1.name IS NOT NULL AND ${highest}`)],
      ['it is asked for under OR', sorted(`${isRead} AND ${highest} AND (v1.name IS NOT NULL OR ${known})`)],
      ['it is asked for under NOT', sorted(`${isRead} AND ${highest} AND NOT (${known})`)],
      ['another is sorted by', sorted(shown, 'WITH v1 ORDER BY v1.salary')],
      ['it is no single value', sorted(shown.replaceAll('name', 'alias'), 'WITH v1 ORDER BY v1.alias')],
      ['it is told', sorted(shown, 'WITH v1, v1.name AS v2')],
      ['it is sorted by in part', sorted(shown, 'WITH v1 ORDER BY v1.name + $g1')],
      [
        'it is of another node',
        sorted(
          shown,
          `MATCH (v2:\`Entity\`) WHERE v2.tenant = $ownTenant AND ${highest.replace('v1', 'v2')} WITH v1, v2 ORDER BY v2.name`,
        ),
      ],
      ['rows have become others', sorted(shown, 'WITH v1 AS v3 WITH v3 AS v4 ORDER BY v4.name WITH v4 AS v1')],
      ['rows are made one', sorted(shown, 'WITH v1, count(*) AS v2 ORDER BY v1.name')],
      ['the pattern is optional', `OPTIONAL ${sorted(shown)}`],
    ])('but not where %s', (_, text) => {
      expect(isConfined(text, asked(certainly))).toBe(false);
    });

    it('but not under other conditions', () => {
      for (const shape of Object.values(shapes).filter((each) => each !== plain && each !== certainly))
        if (!(shape.certainty && !shape.since) && !(shape.closed && !shape.certainty))
          expect(isConfined(sorted(shown), asked(shape))).toBe(false);
    });
  });

  it('is refused without a word of it', () => {
    expect.assertions(4);
    for (const text of [
      'RETURN 1 AS marker',
      'RETURN 1 marker',
      'MATCH (v1:`marker`) RETURN 1 AS v2',
      'RETURN $marker AS v1',
    ]) {
      try {
        audit(`CYPHER 5\n${text}`, asked(plain));
      } catch (error) {
        expect(String(error)).not.toContain('marker');
      }
    }
  });

  it('is refused however deep it is', () => {
    expect(isConfined(`RETURN ${'('.repeat(20_000)}1${')'.repeat(20_000)} AS v1`, asked(plain))).toBe(false);
  });
});
