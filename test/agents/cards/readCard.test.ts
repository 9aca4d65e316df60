import { expect, test } from '@jest/globals';
import { readCard } from '../../../src/agents/cards/readCard.ts';
import type { ConcordError } from '../../../src/base/errors.ts';
import { a2aCard, a2aLegacyCard, agentOsCard, firstA2aCard } from './cards.ts';

function refusalOf(card: object): ConcordError {
  try {
    readCard(card);
  } catch (error) {
    return error as ConcordError;
  }
  throw new Error('The card was taken');
}

test('a card of A2A 1.0 is read, and kept as it was given', () => {
  const { profile, text } = readCard(a2aCard);
  expect(JSON.parse(text)).toEqual(a2aCard);
  expect(profile).toEqual({
    protocol: 'a2a',
    protocolVersion: '1.0',
    name: 'Translator',
    description: 'Translates between German, French and Italian.',
    version: '2.1.0',
    provider: 'Example Language Works',
    endpoints: [
      { url: 'https://translator.example.org/a2a', binding: 'JSONRPC', version: '1.0' },
      { url: 'translator.example.org:50051', binding: 'GRPC', version: '1.0' },
    ],
    skills: [
      { id: 'translate', name: 'Translate text', description: 'Into another language.', tags: ['Language', 'text'] },
      { id: 'glossary', name: 'Keep a glossary', description: 'Of terms of one customer.', tags: ['language'] },
    ],
    tags: ['language', 'text'],
    capabilities: ['streaming'],
    extensions: ['urn:example:glossary'],
  });
});

test('a card of A2A 0.3 names each endpoint once, and the preferred one first', () => {
  expect(readCard(a2aLegacyCard).profile).toMatchObject({
    protocol: 'a2a',
    protocolVersion: '0.3.0',
    endpoints: [
      { url: 'https://weather.example.org/a2a', binding: 'JSONRPC', version: '0.3.0' },
      { url: 'https://weather.example.org/rest', binding: 'HTTP+JSON', version: '0.3.0' },
    ],
    capabilities: ['pushNotifications'],
  });
});

test('a card of the first A2A is known by its url without a version of the protocol', () => {
  expect(readCard(firstA2aCard).profile).toMatchObject({
    protocol: 'first-a2a',
    endpoints: [{ url: 'https://expenses.example.org', binding: 'JSONRPC' }],
    skills: [{ id: 'reimburse', name: 'Reimburse expenses', tags: ['money'] }],
  });
});

test('a card of AgentOS has its endpoints behind the address of the agent', () => {
  expect(readCard(agentOsCard, 'https://os.example.org/a2a/crm/').profile).toMatchObject({
    protocol: 'agentos',
    protocolVersion: '0.3.0',
    endpoints: [
      { url: 'https://os.example.org/a2a/crm/rpc', binding: 'JSONRPC' },
      { url: 'wss://os.example.org/a2a/crm/ws', binding: 'WEBSOCKET' },
    ],
    skills: [{ id: 'search_contacts', parameters: { required: ['query'] } }],
    capabilities: ['events', 'streaming'],
  });
  expect(refusalOf(agentOsCard).message).toContain('endpoints.rpc is relative');
});

test('a card of ONE says what its messages say in from, and its capabilities are skills and tags', () => {
  const card = { agentId: 'painter', endpoint: 'https://one.example.org/messages', capabilities: ['paint', 'Draw'] };
  expect(readCard(card).profile).toMatchObject({
    protocol: 'one',
    name: 'painter',
    endpoints: [{ url: 'https://one.example.org/messages', binding: 'HTTP', version: '1.0' }],
    skills: [{ id: 'paint' }, { id: 'Draw' }],
    tags: ['paint', 'draw'],
  });
  expect(refusalOf({ ...card, endpoint: 'ws://one.example.org' }).message).toContain('endpoint is no address');
});

test('what a card leaves out or has as null may be left out', () => {
  const bare = { name: 'Bare', supportedInterfaces: a2aCard.supportedInterfaces, skills: null, provider: null };
  expect(readCard(bare).profile).toMatchObject({ name: 'Bare', description: '', skills: [], tags: [] });
});

function deep(levels: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}
const skill = { id: 's', name: 's', tags: [] };

test.each([
  ['no protocol', { name: 'x' }],
  ['a name that is a number', { ...a2aCard, name: 7 }],
  ['no name', { ...a2aCard, name: '' }],
  ['skills that are no list', { ...a2aCard, skills: { id: 'x' } }],
  ['a skill that is a text', { ...a2aCard, skills: ['x'] }],
  ['tags that are numbers', { ...a2aCard, skills: [{ ...skill, tags: [1] }] }],
  ['no interface', { ...a2aCard, supportedInterfaces: [] }],
  ['interfaces that are a text', { ...a2aCard, supportedInterfaces: 'https://example.org' }],
  ['an address that is a script', { ...firstA2aCard, url: 'javascript:alert(1)' }],
  ['an address of a file', { ...a2aLegacyCard, url: 'file:///etc/passwd' }],
  ['an address that is none', { ...a2aCard, supportedInterfaces: [{ url: 'x', protocolBinding: 'JSONRPC' }] }],
  ['very many skills', { ...a2aCard, skills: Array.from({ length: 201 }, () => skill) }],
  ['a very long name', { ...a2aCard, name: 'n'.repeat(201) }],
  ['a name of two lines', { ...a2aCard, name: 'Trusted\nAgent' }],
  ['a name that moves a terminal', { ...a2aCard, name: 'x\u001b[2J' }],
  ['a text that is turned around', { ...a2aCard, description: 'safe \u202eexe.txt' }],
  ['a control character in what is not read', { ...a2aCard, more: { 'k\u0000': 1 } }],
  ['half of a surrogate pair', { ...a2aCard, description: '\ud800' }],
  ['very many levels', { ...a2aCard, more: deep(100_000) }],
  ['a level too many', { ...a2aCard, more: deep(33) }],
  ['very many values', { ...a2aCard, more: Array.from({ length: 20_001 }, () => 1) }],
])('a card with %s is refused', (_, card) => {
  expect(refusalOf(card)).toMatchObject({ code: -32602, data: { reason: 'invalid-card' } });
});

test('a card that is too long is refused', () => {
  const error = refusalOf({ ...a2aCard, more: Array.from({ length: 30 }, () => 'x'.repeat(9_000)) });
  expect(error.data).toMatchObject({ reason: 'card-too-large', limit: 262_144 });
});

test('a refusal says where the first faults are', () => {
  const { message, data } = refusalOf({ ...a2aCard, name: 7, version: [] });
  expect(message).toContain('card.name');
  expect(data.issues).toHaveLength(2);
});
