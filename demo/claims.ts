import { add, type ObjectInput, type Patch } from '../src/client/index.ts';
import { type Agent, state } from './agents.ts';
import { country, type Entity, language, predicates } from './names.ts';
import { counted, type Screen } from './screen.ts';

/** Scout's own source; the time is fixed, so that a second run states exactly the same. */
const provenance = { source: "scout's notes", method: 'estimate', timestamp: '2025-06-10T08:00:00Z' };

/** Something that scout holds for likely. */
export function claim(subject: Entity, predicate: string, object: ObjectInput, certainty: number): Patch {
  return add(subject, predicate, object, { certainty, provenance });
}

export const claims = [
  speaksGerman('CHE', 'Switzerland', 0.9),
  speaksGerman('AUT', 'Austria', 0.9),
  inhabited('FRA', 'France', 68_000_000, 0.6),
  inhabited('DEU', 'Germany', 84_000_000, 0.6),
  inhabited('ITA', 'Italy', 59_000_000, 0.6),
  inhabited('AUT', 'Austria', 9_000_000, 0.6),
  inhabited('LIE', 'Liechtenstein', 40_000, 0.7),
];

/** Step 2: another agent adds what it isn't sure of, and says how sure it is. */
export async function addClaims(scout: Agent, screen: Screen): Promise<void> {
  screen.step(`Agent ${scout.id} adds what it is not sure of`);
  const patches = claims.map(({ patch }) => patch);
  const changed = await state(scout, patches, 'Not in the country data');
  screen.table([
    ['certainty', 'claim'],
    ...claims.map(({ label, patch }) => [String(patch.statement.certainty), label]),
  ]);
  screen.line(changed === 0 ? 'An earlier run has stated them: nothing changed.' : `${changed} statements were new.`);
}

/** The data lists dialects for these countries (Swiss German, Austro-Bavarian), but not the German that they write. */
function speaksGerman(code: string, name: string, certainty: number) {
  return {
    label: `German is a language of ${name}`,
    patch: claim(country(code), predicates.language, language('deu'), certainty),
  };
}

function inhabited(code: string, name: string, people: number, certainty: number) {
  return {
    label: `${counted(people)} people live in ${name}`,
    patch: claim(country(code), predicates.population, people, certainty),
  };
}
