import { z } from 'zod';
import { text } from '../../../knowledge/patch.ts';
import { withoutControls } from '../../cards/controls.ts';
import type { RemoteArtifact, RemoteStatus } from './remoteAgent.ts';

/** Of one report. */
const mostParts = 1_000;
const mostArtifacts = 100;
/** Of what a status says; the rest of it is left out. */
const longestSaid = 10_000;
const mostData = 20;
/** Characters of its data, as JSON. */
const longestData = 100_000;

const name = text(1_024);
const id = text(512).min(1, 'is empty');
const metadata = z.record(z.string(), z.unknown()).optional();
const content = z.discriminatedUnion('$case', [
  z.object({ $case: z.literal('text'), value: text(Number.MAX_SAFE_INTEGER) }),
  z.object({ $case: z.literal('url'), value: text(2_048) }),
  z.object({ $case: z.literal('raw'), value: z.instanceof(Buffer) }),
  z.object({ $case: z.literal('data'), value: z.unknown() }),
]);
const part = z.object({ content, metadata, filename: name, mediaType: name });
type StrangersPart = z.output<typeof part>;
const parts = z.array(part).max(mostParts, `has more than ${mostParts} parts`);

const artifact = z.object({ artifactId: id, name, description: text(10_000), parts });
const status = z.object({ state: z.int(), message: z.object({ parts }).optional() });

/** Tasks, messages and events as the SDK reads them: their members have types, but no limits. */
export const shapes = {
  artifact,
  status,
  message: z.object({ parts, contextId: text(512) }),
  task: z.object({
    id,
    contextId: text(512),
    status,
    artifacts: z.array(artifact).max(mostArtifacts, `has more than ${mostArtifacts}`),
  }),
  statusUpdate: z.object({ taskId: id, contextId: text(512), status }),
  artifactUpdate: z.object({ taskId: id, contextId: text(512), artifact, append: z.boolean() }),
};

/** What a status says, in words and in data. */
export function saidIn(given: readonly StrangersPart[] | undefined): Pick<RemoteStatus, 'text' | 'data'> {
  const contents = (given ?? []).map((each) => each.content);
  const texts = contents.flatMap((each) => (each.$case === 'text' ? [each.value] : []));
  return {
    text: words(texts.join('\n')),
    data: withinBounds(contents.flatMap((each) => (each.$case === 'data' ? [each.value] : []))),
  };
}

/** A stranger's words as they are kept and shown. */
export const words = (text: string): string => withoutControls(text.slice(0, longestSaid).toWellFormed());

/** Of the data of a status the first, as far as there is room: it is kept with the task, and told by each who asks. */
export function withinBounds(data: readonly unknown[]): unknown[] {
  let left = longestData;
  return data.slice(0, mostData).filter((each) => {
    const { length } = JSON.stringify(each) ?? '';
    if (length > left) return false;
    left -= length;
    return true;
  });
}

export function artifactOf(
  { artifactId, name: called, description, parts: of }: z.output<typeof artifact>,
  append = false,
): RemoteArtifact {
  return { id: artifactId, name: called, description, parts: of as RemoteArtifact['parts'], append };
}

/** An answer without a task is an artifact of one that has ended. */
export function answerOf(of: readonly StrangersPart[]): RemoteArtifact {
  return { id: 'answer', name: 'answer', description: '', parts: of as RemoteArtifact['parts'], append: false };
}
