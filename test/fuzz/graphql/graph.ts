import type { Random } from '../../graph/qualify/random.ts';
import { tokenOf } from '../../support/identities.ts';
import { patchOf } from '../../support/patches.ts';
import { call } from '../../support/service.ts';

/** What the random documents are asked of: about 1,000 statements of three tenants, a part of them no longer stated. */

const base = 'https://example.org/fuzz#';
export const classes = ['Person', 'Place', 'Event'].map((name) => base + name);
export const graphs = ['urn:g:1', 'urn:g:2', 'urn:g:3'];
export const words = ['Ann', 'Bob', 'Oslo', 'é 😀', "O'Hara", '', 'e', '.*', '1999-12-31', '20', '\\', '`"$x'];
const tenants = ['north', 'south', 'east'];
const perClass = 14;
const idsOf = (type: string) => Array.from({ length: perClass }, (_, number) => `urn:${type}:${number}`);
export const ids = [...['Person', 'Place', 'Event'].flatMap(idsOf), 'urn:nobody'];

const birth = Date.UTC(1990, 0, 1);
export const aTime = (random: Random) => new Date(birth + random.below(20_000) * 86_400_000).toISOString();
const aDay = (random: Random) => aTime(random).slice(0, 10);
const aWord = (random: Random) => random.pick(words);

/** Predicates by class, each with what makes a value: a text that begins with `urn:` is an entity's id. */
const fields: Record<string, Record<string, (random: Random) => string | number | boolean>> = {
  Person: {
    [`${base}name`]: aWord,
    [`${base}nick`]: aWord,
    [`${base}age`]: (random) => random.pick([1, 20, 40, 3.5, 2 ** 31, -5]),
    [`${base}height`]: (random) => random.below(200) / 100,
    [`${base}member`]: (random) => random.chance(0.5),
    [`${base}born`]: aDay,
    [`${base}seen`]: aTime,
    [`${base}code`]: aWord,
    [`${base}scores`]: (random) => random.below(6),
    [`${base}friend`]: (random) => random.pick(idsOf('Person')),
    [`${base}worksAt`]: (random) => random.pick(idsOf('Place')),
    [`${base}boss`]: (random) => random.pick(idsOf('Person')),
    [`${base}secret`]: aWord,
  },
  Place: {
    [`${base}name`]: aWord,
    [`${base}opened`]: aDay,
    [`${base}visits`]: aTime,
    [`${base}within`]: (random) => random.pick(idsOf('Place')),
    [`${base}events`]: (random) => random.pick(idsOf('Event')),
  },
  Event: {
    [`${base}value`]: aWord,
    'https://other.example/2nd': aTime,
    [`${base}guests`]: (random) => random.pick(idsOf('Person')),
    'https://other.example/rumour': aWord,
  },
};
export const predicates = [...new Set(Object.values(fields).flatMap((each) => Object.keys(each)))];

/** Closed to the agents that are called so. */
export const policy = {
  closed: [
    { rule: 'no-secrets', predicates: [`${base}secret`], to: { agents: ['outsider', 'stranger'] } },
    { rule: 'no-events', classes: [`${base}Event`], to: { agents: ['stranger'] } },
  ],
};

/** Claims of a random caller: of one tenant, with all of its graphs or some, with closed names or without. */
export function randomClaims(random: Random): object {
  return {
    tenant: random.pick(tenants),
    sub: random.pick(['insider', 'insider', 'insider', 'outsider', 'stranger']),
    ...(random.chance(0.4) && { graphs: random.some(['default', ...graphs], 0.6) }),
  };
}

/** Times at which the graph was another, from before there was anything. */
export type Times = string[];

/** Puts the statements into an empty graph, through Concord. */
export async function loadGraph(url: string, random: Random): Promise<Times> {
  const times: Times = [new Date(Date.now() - 1_000).toISOString()];
  for (let round = 0; round < 3; round++) {
    for (const tenant of tenants) {
      const authorization = `Bearer ${tokenOf({ tenant, sub: 'writer' })}`;
      const mutations = Array.from({ length: 110 }, () => randomPatch(random));
      const { error } = await call(url, 'knowledge/update', { mutations }, { authorization });
      if (error) throw new Error(`${error.message} ${JSON.stringify(error.data)}`);
    }
    times.push(new Date().toISOString());
  }
  return times;
}

function randomPatch(random: Random) {
  const type = random.pick(Object.keys(fields));
  const [predicate = '', value = aWord] = random.pick(Object.entries(fields[type] ?? {}));
  const object = value(random);
  return patchOf(
    random.chance(0.2) ? 'replace' : 'add',
    random.pick(idsOf(type)),
    predicate,
    typeof object === 'string' && object.startsWith('urn:')
      ? { id: object, type: `${base}${object.split(':')[1]}` }
      : object,
    {
      type: base + type,
      ...(random.chance(0.6) && { graph: random.pick(graphs) }),
      ...(random.chance(0.6) && { certainty: random.pick([0, 0.25, 0.5, 0.75, 1]) }),
    },
  );
}
