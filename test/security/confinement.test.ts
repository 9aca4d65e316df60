import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loose, loosePlaces } from './confinement/conditions.ts';
import { byId, byValue, failing, fails } from './confinement/failing.ts';
import { growing } from './confinement/growth.ts';
import { faultOf, HiddenWorld, type Hiding, hidings, hit, miss, seen, several, told } from './confinement/hidden.ts';
import { disguises, reads } from './confinement/kinds.ts';
import {
  aggregates,
  carriers,
  characters,
  coverNames,
  names,
  payloads,
  placeholders,
  renamed,
  shifted,
} from './confinement/texts.ts';

let world: HiddenWorld;

beforeAll(async () => {
  world = await HiddenWorld.start();
});
afterAll(() => world?.close());

/** One of a list, in turns. */
const turn = <T>(all: readonly T[], at: number) => all[at % all.length] as T;

/** What is wrong with the answer to a query that must have these rows, or must be refused by name where it may be. */
async function wrong(
  { text, rows, variables = {} }: { text: string; rows: object[]; variables?: object },
  hiding: Hiding,
  mayBeRefused = false,
): Promise<string[]> {
  const answer = await world.ask(text, variables, hiding);
  const fault = faultOf(answer);
  const given = answer.error ? told(answer) : JSON.stringify(answer.result.data?.rows);
  const isRefused = answer.error?.code === -32010 && answer.error.data.reason === 'refused-cypher';
  const isRight = given === JSON.stringify(rows) || (mayBeRefused && isRefused);
  return fault || !isRight ? [`${hiding}: ${text.slice(0, 400)}: ${fault ?? given.slice(0, 400)}`] : [];
}

describe('what a query shows as text is never taken for the query', () => {
  test.each(Object.entries(characters))('moved by %s', async (name, character) => {
    const cases = Object.entries(carriers).map(([place, carrier], at) => ({
      ...shifted(turn(payloads, at + name.length).replaceAll('%', world.file), [
        turn(coverNames, at),
        carrier,
        character,
      ]),
      place,
      hiding: turn(hidings, at),
    }));
    const isText = character.isWellFormed();
    const found = await several(cases, (each) => wrong(each, each.hiding, !isText || each.place.startsWith('a key')));
    expect(found.flat()).toEqual([]);
  });

  test.each(payloads)('what is hidden in comments and strings doesn’t run: %s', async (payload) => {
    const places = [carriers['a comment'], carriers['a string']].filter((each) => each !== undefined);
    const cases = coverNames.flatMap((cover, at) =>
      places.map((carrier) => ({
        ...shifted(payload.replaceAll('%', world.file), [cover, carrier, '😀']),
        hiding: turn(hidings, at),
      })),
    );
    expect((await several(cases, (each) => wrong(each, each.hiding))).flat()).toEqual([]);
  });

  test('any text may be a value and the name of a column', async () => {
    const texts = [
      ...Object.values(characters).filter((each) => each.isWellFormed()),
      ...names,
      "'",
      '"',
      '\\',
      '*/',
      '//',
      ' a',
      '`',
    ];
    const cases = texts.flatMap((text, at) => {
      const quoted = `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
      const column = `\`${text.replaceAll('`', '``')}\``;
      return [
        { text: `RETURN ${quoted} AS x`, rows: [{ x: text }] },
        {
          text: `RETURN 1 AS ${column}, ${quoted} AS ${column.slice(0, -1)}2\``,
          rows: [{ [text]: 1, [`${text}2`]: text }],
        },
        { text: `WITH 1 AS ${column} RETURN ${column} + 1 AS ${column}`, rows: [{ [text]: 2 }] },
        {
          text: `MATCH (a {name: 'open a'}) WHERE a.name <> ${quoted} RETURN a.name AS ${column}`,
          rows: [{ [text]: 'open a' }],
        },
      ].map((each) => ({ ...each, hiding: turn(hidings, at) }));
    });
    expect((await several(cases, (each) => wrong(each, each.hiding))).flat()).toEqual([]);
  });
});

describe('no name that a query uses is the rewriter’s', () => {
  test.each(Object.entries(placeholders))('in %s', async (_, place) => {
    const cases = names.slice(0, 12).map((name, at) => {
      const [aggregate, result] = turn(aggregates, at);
      const text = place(name, aggregate);
      return {
        text,
        rows: [{ a: name, c: result }],
        variables: { [name]: name },
        hiding: turn(hidings, at + 1),
      };
    });
    expect((await several(cases, (each) => wrong(each, each.hiding))).flat()).toEqual([]);
  });

  test.each(renamed)('%s', async (query) => {
    const letters = ['A', 'B', 'C', 'D', 'E', 'P'];
    const written = (named: Record<string, string>) =>
      query.replace(/(?<![A-Z])(\$?)([A-EP])(?![A-Za-z])/g, (_all, dollar, letter) => `${dollar}\`${named[letter]}\``);
    const plain = Object.fromEntries(letters.map((letter) => [letter, letter]));
    const rowsOf = async (named: Record<string, string>, hiding: Hiding) => {
      const given = Object.fromEntries(names.map((name) => [name, { tenant: 'graph', certainty: 0, graphs: [] }]));
      const variables = { ...given, [named.P ?? '']: 'open a' };
      const { result, error } = await world.ask(written(named), variables, hiding);
      return JSON.stringify(error ?? result.data?.rows);
    };
    const found = await several([...names.keys()], async (at) => {
      const named = Object.fromEntries(letters.map((letter, of) => [letter, turn(names, at + of)]));
      const hiding = turn(hidings, at);
      const [expected, answered] = [await rowsOf(plain, hiding), await rowsOf(named, hiding)];
      const back = Object.keys(JSON.parse(expected)[0] ?? {}).reduce(
        (text, letter) => text.replaceAll(`${JSON.stringify(named[letter])}:`, `"${letter}":`),
        answered,
      );
      return back === expected ? [] : [`${hiding}: ${written(named)}: ${answered}, not ${expected}`];
    });
    expect(found.flat()).toEqual([]);
  });
});

describe('a node in the place of a value shows no more than a node', () => {
  test.each([...disguises.entries()])('%i: %s', async (at, disguise) => {
    const texts = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((of) => ({
      text: `MATCH (n {id: 'urn:open:a'}) ${disguise} RETURN ${turn(reads, at * 5 + of)} AS c`,
      hiding: turn(['graph', 'predicate', 'certainty', 'time'] as const, of),
    }));
    const found = await several(texts, async ({ text, hiding }) => {
      const answer = await world.ask(text, { key: 'population', tenant: 'tenant' }, hiding);
      const fault = faultOf(answer);
      const tells = JSON.stringify(answer.result ?? {}).match(/"tenant"|__certainty/) !== null;
      return fault || tells ? [`${hiding}: ${text}: ${fault ?? JSON.stringify(answer.result.data)}`] : [];
    });
    expect(found.flat()).toEqual([]);
  });
});

/** How the answers to a query differ by whether what it asks for is hidden, or isn't there. */
async function telling(text: string, hiding: Hiding): Promise<string[]> {
  const answers = [
    await world.ask(text, { ...hit, yes: true }, hiding),
    await world.ask(text, { ...miss, yes: true }, hiding),
    await world.ask(text, { ...hit, yes: true }, hiding, true),
  ];
  const [hidden, absent, ofTwin] = answers.map(told);
  return [
    ...answers.map(faultOf).filter((fault) => fault !== undefined),
    ...(hidden === absent ? [] : [`hidden ${hidden}, absent ${absent}`]),
    ...(hidden === ofTwin || hidden !== absent ? [] : [`with what is hidden ${hidden}, without ${ofTwin}`]),
  ].map((fault) => `${hiding}: ${text} ${fault}`);
}

describe('what fails tells nothing of what is hidden', () => {
  const shapes = Object.entries({ ...byId, ...byValue });
  const others = hidings.filter((each) => each !== 'graph' && each !== 'class');

  test.each(shapes.map(([name, shape], at) => [name, shape, at] as const))('%s', async (_, shape, at) => {
    const text = shape(fails);
    expect((await world.ask(text, seen, 'tenant')).error?.code).toBe(-32010);
    const callers = ['graph', 'class', turn(others, at), turn(others, at + 3)] as const;
    expect((await several(callers, (hiding) => telling(text, hiding))).flat()).toEqual([]);
  });

  // Each way to fail in several places, for each way to hide.
  test.each(Object.entries(failing).map(([name, way], at) => [name, way, at] as const))('%s', async (_, way, at) => {
    const plain = `MATCH (x {id: $id}) WHERE ${way('x.id')} RETURN count(*) AS c`;
    expect((await world.ask(plain, seen, 'tenant')).error?.code).toBe(-32010);
    const found = await several(hidings, (hiding) => {
      const [, shape] = turn(shapes, at * hidings.length + hidings.indexOf(hiding) * 7);
      return telling(shape(way), hiding);
    });
    expect(found.flat()).toEqual([]);
  });

  test.each([
    ['label', 'MATCH (x:%) RETURN count(x) AS c'],
    ['label', 'MATCH (x) WHERE x:% RETURN count(x) AS c'],
    ['label', "MATCH (x {id: 'urn:open:a'}) WHERE '%' IN labels(x) RETURN count(x) AS c"],
    ['label', 'MATCH (x:!%) RETURN count(x) AS c'],
    ['type', 'MATCH ()-[r:%]->() RETURN count(r) AS c'],
    ['type', 'MATCH ()-[r:!%]->() RETURN count(r) AS c'],
    ['type', "MATCH p = ({id: 'urn:open:a'})-[:%*1..2]-() RETURN count(p) AS c"],
    ['type', "MATCH ()-[r]->() WHERE type(r) = '%' RETURN count(r) AS c"],
    ['key', 'MATCH (x) WHERE x.% IS NOT NULL RETURN count(x) AS c'],
    ['key', 'MATCH (x:Entity {%: 1}) RETURN count(x) AS c'],
    ['key', 'MATCH (x) RETURN count(x.%) AS c'],
  ] as const)('a %s that only others have is as unknown as any: %s', async (what, text) => {
    const found = await several(['tenant', 'graph', 'class', 'time'] as const, async (hiding) => {
      const [one, other] = await Promise.all(
        [hit, miss].map(async (names) => world.ask(text.replace('%', names[what]), {}, hiding)),
      );
      return one && other && told(one) === told(other) && !faultOf(one) ? [] : [`${hiding}: ${one && told(one)}`];
    });
    expect(found.flat()).toEqual([]);
  });
});

describe('a condition in the place of a value is asked as a whole', () => {
  test.each(loose)('%s', async (condition) => {
    const at = loose.indexOf(condition);
    const found = await several([0, 1, 2, 3, 4], (of) =>
      telling(
        turn(loosePlaces, at * 4 + of)(condition),
        turn(['certainty', 'graph', 'age', 'certainty', 'time'] as const, of),
      ),
    );
    expect(found.flat()).toEqual([]);
  });
});

describe('no text keeps the service busy', () => {
  test.each(Object.entries(growing))(
    '%s',
    async (_, text) => {
      const delay = monitorEventLoopDelay({ resolution: 10 });
      delay.enable();
      const answer = await world.ask(text(), {}, 'certainty');
      const health = await fetch(`${world.url}/healthz`);
      // What stood still until now is told by the timer that comes next.
      await sleep(30);
      delay.disable();
      expect(health.status).toBe(200);
      expect(faultOf(answer)).toBeUndefined();
      if (answer.error) {
        expect(answer.error).toMatchObject({ code: -32010, data: { reason: expect.any(String) } });
        // It was told what is too much, before Neo4j found out.
        expect(answer.error.data.reason).not.toBe('timeout');
      }
      // Such a text took twelve seconds; what a busy machine takes is no matter.
      expect(delay.max / 1e6).toBeLessThan(5_000);
    },
    60_000,
  );
});
