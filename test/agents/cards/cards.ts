/** Cards of each protocol, as agents have them. */
export const a2aCard = {
  name: 'Translator',
  description: 'Translates between German, French and Italian.',
  version: '2.1.0',
  provider: { organization: 'Example Language Works', url: 'https://example.org' },
  supportedInterfaces: [
    { url: 'https://translator.example.org/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' },
    { url: 'translator.example.org:50051', protocolBinding: 'GRPC', protocolVersion: '1.0', tenant: '' },
  ],
  capabilities: { streaming: true, pushNotifications: false, extensions: [{ uri: 'urn:example:glossary' }] },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [
    { id: 'translate', name: 'Translate text', description: 'Into another language.', tags: ['Language', 'text'] },
    { id: 'glossary', name: 'Keep a glossary', description: 'Of terms of one customer.', tags: ['language'] },
  ],
};

export const a2aLegacyCard = {
  protocolVersion: '0.3.0',
  name: 'Weather',
  description: 'Forecasts for a place.',
  url: 'https://weather.example.org/a2a',
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [
    { url: 'https://weather.example.org/a2a', transport: 'JSONRPC' },
    { url: 'https://weather.example.org/rest', transport: 'HTTP+JSON' },
  ],
  version: '1.0.0',
  capabilities: { streaming: false, pushNotifications: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['application/json'],
  skills: [{ id: 'forecast', name: 'Forecast', description: 'Of the next days.', tags: ['weather'] }],
};

export const firstA2aCard = {
  name: 'Reimbursement',
  url: 'https://expenses.example.org',
  version: '0.1',
  provider: { organization: 'Example' },
  capabilities: { streaming: true },
  authentication: { schemes: ['bearer'] },
  skills: [{ id: 'reimburse', name: 'Reimburse expenses', tags: ['money'] }],
};

export const agentOsCard = {
  protocolVersion: '0.3.0',
  id: 'crm',
  name: 'Contacts',
  description: 'Looks people up.',
  version: '1.0.0',
  endpoints: { rpc: '/rpc', ws: '/ws' },
  capabilities: { streaming: true, events: true, files: false },
  skills: [
    {
      name: 'search_contacts',
      description: 'Search for contacts by name or email.',
      parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    },
  ],
};
