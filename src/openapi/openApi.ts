import { version } from '../base/version.ts';
import type { Methods } from '../calls/call.ts';
import { agentAddresses } from './agentsAddresses.ts';
import { Components, type JsonSchema } from './components.ts';
import { httpJsonAddresses } from './httpJsonAddresses.ts';
import { oneAddresses } from './oneAddresses.ts';
import type { Addresses } from './operation.ts';
import { otherAddresses } from './othersAddresses.ts';
import { rpcAddresses } from './rpcAddresses.ts';
import { taskAddresses } from './tasksAddresses.ts';

/** A description by OpenAPI 3.1. */
export interface OpenApi {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  security: object[];
  paths: Addresses;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: object };
}

/**
 * The description of every address over HTTP. Requests are described by the schemas that check them.
 * @param methods all of `POST /a2a`
 * @param identities whether callers need credentials
 */
export function openApi(methods: Methods, identities: boolean): OpenApi {
  const components = new Components();
  const paths: Addresses = {
    ...taskAddresses(components),
    ...rpcAddresses(methods, components),
    ...oneAddresses(components),
    ...httpJsonAddresses(components),
    ...agentAddresses(methods, components),
    ...otherAddresses(components),
  };
  return {
    openapi: '3.1.0',
    info: { title: 'Concord', version, description: 'A shared knowledge graph for software agents.' },
    security: identities ? [{ bearer: [] }, { apiKey: [] }] : [],
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  };
}
