import { Artifact, Message, TaskState } from '@a2a-js/sdk';
import { expect, test } from '@jest/globals';
import { dateTime } from '../../../src/graph/statements/values.ts';
import {
  artifactNodeOf,
  messageNodeOf,
  metadataText,
  statusMessageText,
  taskOf,
} from '../../../src/tasks/nodes/taskNodes.ts';

const parts = [
  { text: 'one' },
  { raw: Buffer.from([0, 255]).toString('base64'), mediaType: 'image/png' },
  { text: 'two' },
];
const message = Message.fromJSON({
  messageId: 'm',
  taskId: 't',
  contextId: 'c',
  role: 'ROLE_AGENT',
  parts,
  extensions: ['urn:e'],
  referenceTaskIds: ['other'],
  metadata: { a: [1] },
});
const bare = Message.fromJSON({ messageId: 'n', taskId: 't', contextId: 'c', role: 'ROLE_USER', parts: [] });
const artifact = Artifact.fromJSON({
  artifactId: 'a',
  name: 'map',
  description: 'of the world',
  parts,
  extensions: ['urn:e'],
  metadata: { b: null },
});

test('a task is the same again once it stood on nodes', () => {
  const task = {
    id: 't',
    contextId: 'c',
    status: { state: TaskState.TASK_STATE_WORKING, message, timestamp: '2026-01-02T03:04:05.678Z' },
    history: [message, bare],
    artifacts: [artifact],
    metadata: { c: true },
  };
  const node = {
    id: 't',
    contextId: 'c',
    state: 'WORKING',
    statusAt: dateTime(Date.parse(task.status.timestamp)),
    statusMessage: statusMessageText(task.status),
    metadata: metadataText(task),
  } as Parameters<typeof taskOf>[0];
  expect(taskOf(node, task.history.map(messageNodeOf), [artifactNodeOf(artifact)])).toEqual(task);
  const without = taskOf({ ...node, statusMessage: null, metadata: null }, [], []);
  expect([without.status?.message, without.metadata]).toEqual([undefined, undefined]);
});

test('the texts of a message stand on its node, a line each, for reading', () => {
  expect(messageNodeOf(message).text).toBe('one\ntwo');
});
