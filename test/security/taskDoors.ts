import { SendMessageRequest, TaskPushNotificationConfig } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { credentials, Metadata, makeGenericClientConstructor, type ServiceError } from '@grpc/grpc-js';
import { call } from '../a2a/testService.ts';

/** A refusal, whichever form the door has for it. */
export interface Refusal {
  /** Of JSON-RPC; HTTP's 400 and gRPC's INVALID_ARGUMENT stand for -32602. */
  code: number | undefined;
  message: string;
}

/** A way to the task methods, for params as A2A 1.0 has them. */
export interface Door {
  send(params: object): Promise<Refusal>;
  setPushConfig(config: object): Promise<Refusal>;
}

type Json = Record<string, unknown>;

const v1 = { 'a2a-version': '1.0' };

async function posted(url: string, body: unknown, headers: Record<string, string>): Promise<[number, Json]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return [response.status, (await response.json()) as Json];
}

const ofRpc = ([, { error }]: [number, Json]): Refusal => {
  const { code, message = '' }: Partial<Refusal> = error ?? {};
  return { code, message };
};
const ofRest = ([status, { error }]: [number, Json]): Refusal => ({
  code: status === 400 ? -32602 : status < 300 ? undefined : status,
  message: (error as Refusal | undefined)?.message ?? '',
});
const ofLegacyRest = ([status, body]: [number, Json]): Refusal => ({
  code: status < 300 ? undefined : status === 400 ? (body.code as number) : status,
  message: String(body.message),
});

/** The same of A2A 0.3, over JSON-RPC and over REST. */
function legacy({ message, configuration, ...rest }: Json, kind: 'rpc' | 'rest'): object {
  const { parts: _, role: __, ...others } = message as Json;
  const { taskPushNotificationConfig: pushNotificationConfig, ...settings } = (configuration ?? {}) as Json;
  const data = { skill: 'echo' };
  return {
    ...rest,
    message: {
      ...others,
      ...(kind === 'rpc'
        ? { kind: 'message', role: 'user', parts: [{ kind: 'data', data }] }
        : { role: 'ROLE_USER', content: [{ data: { data } }] }),
    },
    configuration: { ...settings, pushNotificationConfig, pushNotification: pushNotificationConfig },
  };
}

/** Every way to the task methods of a service; `close` ends the connection for gRPC. */
export function taskDoors(url: string, grpc: string): { doors: Record<string, Door>; close(): void } {
  const rpc = (method: string, params: object, headers = {}) => posted(`${url}/a2a`, call(method, params), headers);
  const rest = (path: string, body: object, headers = {}) => posted(`${url}/a2a/v1${path}`, body, headers);
  const client = new (makeGenericClientConstructor(A2AService, 'A2AService'))(grpc, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('a2a-version', '1.0');
  const grpcCall = (method: string, request: unknown) =>
    new Promise<Refusal>((resolve) => {
      client[method]?.(request, metadata, (error: ServiceError | null) =>
        resolve({ code: error?.code === 3 ? -32602 : error?.code, message: error?.details ?? '' }),
      );
    });
  const doors: Record<string, Door> = {
    'JSON-RPC': {
      send: async (params) => ofRpc(await rpc('SendMessage', params, v1)),
      setPushConfig: async (config) => ofRpc(await rpc('CreateTaskPushNotificationConfig', config, v1)),
    },
    'JSON-RPC of 0.3': {
      send: async (params) => ofRpc(await rpc('message/send', legacy(params as Json, 'rpc'))),
      setPushConfig: async ({ taskId, ...pushNotificationConfig }: Json) =>
        ofRpc(await rpc('tasks/pushNotificationConfig/set', { taskId, pushNotificationConfig })),
    },
    'HTTP+JSON': {
      send: async (params) => ofRest(await rest('/message:send', params, v1)),
      setPushConfig: async ({ taskId, ...config }: Json) =>
        ofRest(await rest(`/tasks/${taskId}/pushNotificationConfigs`, config, v1)),
    },
    'HTTP+JSON of 0.3': {
      send: async (params) => ofLegacyRest(await rest('/message:send', legacy(params as Json, 'rest'))),
      setPushConfig: async ({ taskId, id = 'x', ...config }: Json) =>
        ofLegacyRest(
          await rest(`/tasks/${taskId}/pushNotificationConfigs`, {
            name: `tasks/${taskId}/pushNotificationConfigs/${encodeURIComponent(String(id))}`,
            pushNotificationConfig: { id, ...config },
          }),
        ),
    },
    gRPC: {
      send: (params) => grpcCall('sendMessage', SendMessageRequest.fromJSON(params)),
      setPushConfig: (config) =>
        grpcCall('createTaskPushNotificationConfig', TaskPushNotificationConfig.fromJSON(config)),
    },
  };
  return { doors, close: () => client.close() };
}
