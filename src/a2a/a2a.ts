import { type AgentCard, generateAgentCardSignature } from '@a2a-js/sdk';
import type { A2ARequestHandler, AgentExecutor } from '@a2a-js/sdk/server';
import type { RequestHandler } from 'express';
import type { EncryptionKey } from '../agents/envelopes/encryptionKey.ts';
import type { Methods } from '../calls/call.ts';
import { InFlight } from '../calls/inFlight.ts';
import type { Config } from '../config/config.ts';
import type { Oversight } from '../limits/oversight.ts';
import type { Authenticate } from '../security/authenticator.ts';
import type { CertificateFiles } from '../security/certificateFiles.ts';
import type { Principal } from '../security/principal.ts';
import { keySetUrl, type SigningKey } from '../security/signingKey.ts';
import { skillNamed } from '../skills/assignment.ts';
import type { Skills } from '../skills/skill.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import type { Logger } from '../telemetry/logger.ts';
import { agentCard, type CardOptions } from './card/card.ts';
import { cardHandler } from './card/cardHandler.ts';
import { legacyCard } from './card/legacyCard.ts';
import { type GrpcListening, listenGrpc } from './grpc/grpc.ts';
import type { Dialect } from './handler/dialect.ts';
import { withDialects } from './handler/dialectMethods.ts';
import { type TaskParts, taskHandler } from './handler/handler.ts';
import { instrumentedHandler } from './handler/instrumentedHandler.ts';
import { taskMethods } from './handler/taskMethods.ts';
import { createEndpoint, type Endpoint } from './jsonrpc/endpoint.ts';
import { bodyLimits } from './protocol/body.ts';
import { createCalls } from './protocol/calls.ts';
import { grpcErrors, restErrors } from './protocol/transportErrors.ts';
import { agentsRest } from './rest/agents.ts';
import { rest } from './rest/rest.ts';

export interface A2aParts {
  /** The methods of the extension. */
  methods: Methods;
  /** Further ways to write the task methods over JSON-RPC. */
  dialects?: readonly Dialect[];
  skills: Skills;
  executor: AgentExecutor;
  tasks: TaskParts;
  /** What the card says, but for the addresses. */
  card: Pick<CardOptions, 'queryLanguages' | 'introspection' | 'identities' | 'mutualTls'>;
  /** Where HTTP is reached; it is only known once the service listens. */
  url: () => string;
  authenticate: Authenticate;
  /** What cards are signed with, if they are. */
  signingKey?: SigningKey;
  /** What others encrypt for Concord with. */
  encryptionKey?: Pick<EncryptionKey, 'jwk'>;
  /** For gRPC; absent where it is served without TLS. */
  certificates?: CertificateFiles;
  config: Config;
  instruments: Instruments;
  logger: Logger;
  oversight: Oversight;
}

export interface A2aCore {
  handler: A2ARequestHandler;
  inFlight: InFlight;
}

/** A2A 1.0 and 0.3: JSON-RPC, HTTP+JSON and gRPC over one handler. */
export interface A2a {
  endpoint: Endpoint;
  /** What a dialect stands on: the guarded handler of tasks, and the requests under way. */
  core: A2aCore;
  /** All methods of `POST /a2a`, for who describes them. */
  methods: Methods;
  /** The HTTP+JSON transport, below `/a2a`. */
  rest: RequestHandler;
  /** The registry of agents, below `/agents`. */
  registry: RequestHandler;
  /** Answers with the agent card: at its address of today, and for old clients at that of A2A 0.2. */
  card: RequestHandler;
  legacyCard: RequestHandler;
  /** The public keys that cards are signed and messages encrypted with, as a JSON Web Key Set; absent without any. */
  cardKeys?: object;
  /** Listens for gRPC where GRPC_PORT is set. */
  listenGrpc(): Promise<GrpcListening | undefined>;
}

export function createA2a(parts: A2aParts): A2a {
  const { methods, tasks, authenticate, signingKey, config, instruments, logger } = parts;
  const kit = config.A2A_KIT;
  const keys = [...(signingKey?.keySet.keys ?? []), ...(parts.encryptionKey ? [parts.encryptionKey.jwk] : [])];
  let grpc: string | undefined;
  const { card, cardAtRest, extendedCard, sign } = cardsOf(parts, () => grpc);
  const handler = taskHandler({
    ...tasks,
    card: { ...cardAtRest(), supportedInterfaces: everyBinding },
    extendedCard,
    executor: parts.executor,
    changesNothing: (params) => parts.skills.get(skillNamed(params) ?? '')?.readsOnly === true,
    config,
    logger,
  });
  const ofTasks = withDialects(taskMethods(handler), parts.dialects ?? [], {
    handler,
    legacyCard: () => legacyCard(card()),
    pushNotifications: tasks.push !== undefined,
  });
  const inFlight = new InFlight();
  const limits = bodyLimits(config.MAX_BODY_BYTES, parts.card.identities ?? false);
  const all: Methods = {
    unary: new Map([...methods.unary, ...ofTasks.unary]),
    streaming: new Map([...methods.streaming, ...ofTasks.streaming]),
  };
  const endpoint = createEndpoint({
    methods: all,
    ofExtension: new Set(methods.unary.keys()),
    oversight: parts.oversight,
    inFlight,
    authenticate,
    bodyLimits: limits,
    config,
    instruments,
    logger,
  });
  const calls = createCalls(ofTasks, instruments, logger, parts.oversight);
  const account = { handler, calls, instruments, logger };
  const shown = { card, sign };
  return {
    endpoint,
    core: { handler, inFlight },
    methods: all,
    rest: rest({
      handler: instrumentedHandler({ ...account, system: 'http+json', writeError: restErrors({ kit }) }),
      authenticate,
      calls,
      inFlight,
      bodyLimits: limits,
      heartbeatMs: config.HEARTBEAT_MS,
      kit,
    }),
    registry: agentsRest({
      methods: methods.unary,
      authenticate,
      calls: createCalls(methods, instruments, logger, parts.oversight),
      inFlight,
      bodyLimits: limits,
    }),
    card: cardHandler({ ...shown, otherwise: config.AGENT_CARD_VERSION }),
    legacyCard: cardHandler({ ...shown, otherwise: '0.3' }),
    ...(keys.length > 0 && { cardKeys: { keys } }),
    async listenGrpc() {
      if (config.GRPC_PORT === undefined) return undefined;
      const writeError = grpcErrors({ kit });
      const listening = await listenGrpc(
        {
          handler: instrumentedHandler({ ...account, system: 'grpc', writeError }),
          authenticate,
          calls,
          inFlight,
          writeError,
          certificates: parts.certificates,
          rates: parts.oversight.rates,
          proxies: config.TRUSTED_PROXIES,
        },
        config,
        parts.card.identities ?? false,
      );
      grpc = listening.address;
      return listening;
    },
  };
}

/** @param grpc where gRPC is reached, once it listens */
function cardsOf(parts: A2aParts, grpc: () => string | undefined) {
  const { methods, skills, tasks, url, signingKey, config } = parts;
  const sign = signingKey && cardSigner(signingKey, url);
  const options = (reachedAt = url()): CardOptions => ({
    ...parts.card,
    url: reachedAt,
    grpc: config.GRPC_PUBLIC_ADDRESS ?? grpc(),
    grpcAsUrl: config.A2A_KIT,
    methods,
    skills,
    pushNotifications: tasks.push !== undefined,
  });
  return {
    card: () => agentCard(options()),
    /** Without addresses, before the service listens. */
    cardAtRest: () => agentCard(options('')),
    async extendedCard(principal: Principal) {
      const extended = agentCard(options(), principal);
      return sign ? sign(extended) : extended;
    },
    sign,
  };
}

/** Signs cards; A2A 1.0, section 8.4. */
function cardSigner({ key, alg, kid }: SigningKey, url: () => string) {
  return (card: AgentCard): Promise<AgentCard> =>
    generateAgentCardSignature(key, { alg, kid, typ: 'JOSE', jku: keySetUrl(url()) })(card);
}

/** The SDK looks only at versions and bindings here; the addresses are told by the cards that are served. */
const everyBinding: AgentCard['supportedInterfaces'] = ['1.0', '0.3'].flatMap((protocolVersion) =>
  ['JSONRPC', 'HTTP+JSON', 'GRPC'].map((protocolBinding) => ({
    url: '',
    protocolBinding,
    tenant: '',
    protocolVersion,
  })),
);
