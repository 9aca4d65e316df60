import { Part } from '@a2a-js/sdk';
import { z } from 'zod';
import { isObject } from '../../../base/isObject.ts';
import { refuse } from '../../../base/reasons.ts';
import type { RegisteredAgentWithCard } from '../../../wire/agents.ts';
import { post, RpcRefusal, resultIn, shaped } from './jsonRpc.ts';
import type { Outgoing, RemoteAgent, RemoteArtifact, RemoteReport } from './remoteAgent.ts';
import { answerOf, artifactOf, shapes } from './reports.ts';

const result = z.looseObject({
  content: z.string().nullish(),
  artifacts: z.array(z.unknown()).max(100, 'has more than 100').nullish(),
});

/** An agent of AgentOS 0.3.0: one call, one answer. What it does can neither be followed nor asked for again. */
export async function agentOsAgent(
  { id: agentId, endpoints }: RegisteredAgentWithCard,
  fetch: typeof globalThis.fetch,
): Promise<RemoteAgent> {
  const url = endpoints.find(({ binding }) => binding === 'JSONRPC')?.url;
  if (url === undefined) throw refuse('capability-mismatch', `The agent ${agentId} has no address for calls`);
  return {
    async *send(outgoing, signal) {
      const { response, id } = await post(fetch, url, { method: 'run', params: paramsOf(outgoing) }, signal);
      yield answered(await response.text(), id);
    },
  };
}

/** What is in the context besides is the skill's, so that it has no place for who has handed it on. */
function paramsOf({ messageId, parts, skill }: Outgoing): object {
  const contents = parts.map(({ content }) => content);
  const texts = contents.flatMap((content) => (content?.$case === 'text' ? [content.value] : []));
  const data = contents.flatMap((content) =>
    content?.$case === 'data' && isObject(content.value) ? [content.value] : [],
  );
  return {
    task: texts.join('\n') || (skill ?? ''),
    context: {
      ...Object.assign({}, ...data),
      ...(skill !== undefined && { skill }),
      request_id: messageId,
    },
  };
}

function answered(json: string, id: string): RemoteReport {
  let said: z.output<typeof result>;
  try {
    said = shaped(result, resultIn(json, id));
  } catch (error) {
    throw error instanceof RpcRefusal ? error.toConcordError() : error;
  }
  const { content, artifacts } = said;
  const text = content ? [answerOf(partsOf([{ text: content }]))] : [];
  return {
    artifacts: [...text, ...(artifacts ?? []).map(artifactAt)],
    status: { state: 'completed', text: '', data: [] },
  };
}

/** AgentOS doesn't say what an artifact is: one of parts is taken as such, any other as data. */
function artifactAt(value: unknown, at: number): RemoteArtifact {
  const plain = { artifactId: `artifact-${at}`, name: '', description: '' };
  const named = isObject(value) && typeof value.name === 'string' ? { name: value.name } : {};
  return artifactOf(shaped(shapes.artifact, { ...plain, ...named, parts: partsOf([{ data: value }]) }));
}

const partsOf = (given: object[]) =>
  shaped(
    shapes.artifact.shape.parts,
    given.map((each) => Part.fromJSON(each)),
  );
