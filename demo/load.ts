import { type Agent, state } from './agents.ts';
import { readCountries, source } from './countries.ts';
import { patchesOf } from './patches.ts';
import { progressOn } from './progress.ts';
import { counted, type Screen } from './screen.ts';

const batch = 500;

/** Step 1: an agent states what npm's `world-countries` knows, in updates of 500 statements. */
export async function loadCountries(atlas: Agent, screen: Screen): Promise<void> {
  const countries = readCountries();
  const patches = patchesOf(countries);
  screen.step(`Agent ${atlas.id} loads ${countries.length} countries`);
  screen.line(`${counted(patches.length)} statements from ${source.source} ${source.version}: names, capitals,`);
  screen.line('languages, currencies, borders. Each says where it comes from, of what date and why.');

  const progress = progressOn(screen, patches.length);
  const started = performance.now();
  let changed = 0;
  try {
    for (let first = 0; first < patches.length; first += batch) {
      const part = patches.slice(first, first + batch);
      changed += await state(atlas, part, `The country data of ${source.source} ${source.version}`);
      progress.reached(first + part.length);
    }
  } finally {
    progress.done();
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  screen.line(
    changed === 0
      ? `An earlier run has stated all of it: nothing changed (${seconds} s).`
      : `${counted(changed)} statements were new (${seconds} s).`,
  );
}
