import { z } from 'zod';
import { optional, text } from '../../knowledge/patch.ts';

/** Of an id. Several of them are together the key of a node, for which Neo4j has 8 kB. */
const longestId = 512;
const longestUri = 2_048;
const longestSecret = 8_192;
const longestName = 1_024;
const most = 2 ** 31 - 1;

const id = optional(text(longestId));
const uri = optional(text(longestUri));
const name = optional(text(longestName));
const uris = optional(z.array(text(longestUri)).max(100, 'has more than 100 entries'));
/** The SDK writes one that it doesn't know to the console as it is. */
const shown = text(longestId).refine((value) => !/\p{Cc}|[\u2028\u2029]/u.test(value), 'has control characters');
const ids = optional(z.array(shown).max(100, 'has more than 100 entries'));
const range = `is not a whole number from 0 to ${most}`;
const count = optional(
  z.number(range).refine((value) => Number.isInteger(value) && value >= 0 && value <= most, range),
);
const metadata = optional(z.record(z.string(), z.unknown(), 'is not an object'));

const part = z.looseObject({ filename: name, mediaType: name, metadata });

const message = z.looseObject({
  messageId: id,
  contextId: id,
  taskId: id,
  parts: optional(z.array(part)),
  extensions: uris,
  referenceTaskIds: ids,
  metadata,
});

const pushConfig = {
  id,
  taskId: id,
  url: uri,
  token: optional(text(longestSecret)),
  authentication: optional(z.looseObject({ scheme: name, credentials: optional(text(longestSecret)) })),
};

/**
 * What a request of any task method may hold, whichever transport it came by: the SDK's readers take a member of any
 * length, and numbers that are none. Members have one meaning in all methods, so one shape serves them all.
 */
export const requestShape = z.looseObject({
  ...pushConfig,
  contextId: id,
  pageToken: optional(text(longestUri)),
  statusTimestampAfter: id,
  historyLength: count,
  pageSize: count,
  message: optional(message),
  configuration: optional(
    z.looseObject({
      historyLength: count,
      acceptedOutputModes: uris,
      taskPushNotificationConfig: optional(z.looseObject(pushConfig)),
    }),
  ),
  metadata,
});
