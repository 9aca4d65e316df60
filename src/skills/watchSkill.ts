import { withDeadline } from '../base/withDeadline.ts';
import type { StreamingMethod } from '../calls/call.ts';
import type { ChangeEvent } from '../knowledge/subscribe/subscribe.ts';
import type { Skill, SkillCall } from './skill.ts';

export interface WatchLimits {
  /** Milliseconds after which a watch completes. */
  timeoutMs: number;
  /** Changes after which a watch completes: each stays with the task as an event until the task has ended. */
  maxChanges: number;
}

/** What a task keeps of the changes that it has reported. */
const keptChanges = 100;
const keptBytes = 1_048_576;

/**
 * `watch`: the params of `knowledge/subscribe` in a data part. The task works on until it is cancelled, and each change
 * is an update of its one artifact, which holds the last changes only. At a limit it completes with the cursor to go on
 * from.
 */
export function watchSkill(subscribe: StreamingMethod<ChangeEvent>, limits: WatchLimits): Skill {
  return {
    summary:
      'Reports changes until it is cancelled; the fields are the params of knowledge/subscribe. Best sent as a streaming message',
    example: {
      skill: 'watch',
      subscriptionQuery:
        'subscription { statementChanged(where: {subject: {eq: "https://example.org/France"}}) { op } }',
    },
    endsItself: true,
    ...(subscribe.params && { parameters: subscribe.params }),
    textField: 'subscriptionQuery',
    async run(input, call) {
      let cursor = 0;
      let found = 0;
      let isLate = false;
      await withDeadline(limits.timeoutMs, call.signal, async (signal) => {
        const changes = await subscribe({ ...input, taskId: call.taskId }, { ...call, signal });
        cursor = Number(changes.cursor);
        call.tell(`Watching for changes after ${cursor}`, { cursor });
        const publish = publisher(call);
        for await (const { id, result } of changes) {
          publish(result);
          cursor = Number(id);
          found += 1;
          if (found === limits.maxChanges) break;
        }
        isLate = signal.aborted;
      });
      call.signal.throwIfAborted();
      const reached = isLate ? `${limits.timeoutMs} ms` : `${limits.maxChanges} changes`;
      return {
        state: 'completed',
        artifacts: [],
        text: `Watched for the limit of ${reached}; to go on, send it again with metadata.afterSequence ${cursor}`,
        data: { cursor },
      };
    },
  };
}

/** Appends changes to one artifact, and begins it anew when it is full. */
function publisher({ publish }: SkillCall): (change: ChangeEvent) => void {
  let kept = 0;
  let bytes = 0;
  return (change) => {
    const size = Buffer.byteLength(JSON.stringify(change));
    const append = kept > 0 && kept < keptChanges && bytes + size <= keptBytes;
    kept = append ? kept + 1 : 1;
    bytes = append ? bytes + size : size;
    publish({
      id: 'changes',
      name: 'changes',
      description: 'The last changes, oldest first',
      data: change,
      append,
    });
  };
}
