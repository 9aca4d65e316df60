import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { takeCensus } from '../../demo/census.ts';
import { Screen } from '../../demo/screen.ts';
import { tellStory } from '../../demo/story.ts';
import { useService } from '../support/setUp.ts';

const service = useService({ VOCABULARY: 'demo/world.graphql', AGENT_TRUST: 'rumour=0.2', AGENT_ALLOW: '127.0.0.1' });

/** Tells the story to a stream that is no terminal. */
async function told(): Promise<string> {
  let text = '';
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      text += chunk;
      done();
    },
  });
  await tellStory(service.url, new Screen(output));
  return text;
}

describe("the demo's story", () => {
  it('loads the world, shows what it promises, and changes nothing the second time', async () => {
    const first = await told();
    const before = await takeCensus(service.neo4j);
    const second = await told();
    const after = await takeCensus(service.neo4j);

    expect(first).toMatch(/6,\d{3} statements were new/);
    expect(first).toMatch(/German +0\.9 +scout +Liechtenstein +Vaduz +CHF/);
    expect(first).toMatch(/add country\/IND borders country\/LKA/);
    expect(first).toMatch(/ms (before|after) scout has its answer/);
    expect(first).toMatch(/checker has died in the middle of Liechtenstein/);
    expect(first).toMatch(/check +completed +\d/);
    expect(second).toMatch(/nothing changed/);
    expect(second).toMatch(/add country\/IND borders country\/LKA/);
    for (const text of [first, second]) {
      expect(text).toMatch(/Rejected - Constraint Violation/);
      expect(text).toMatch(/Pending Review/);
      expect(text).toMatch(/Austria: 107 people to a square kilometre/);
      expect(text).toMatch(/From a statement to where it comes from: Liechtenstein density \d+/);
      expect(text).toMatch(/said by +scout/);
      expect(text).not.toContain('\u001b');
    }
    expect(before.nodes).toBeGreaterThan(6_000);
    expect(after).toEqual(before);
  }, 240_000);
});
