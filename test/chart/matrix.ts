/** The least that the chart needs. */
export const neo4j = { uri: 'neo4j://db:7687', existingSecret: 'db' };
/** Values that the chart is rendered and installed with, by what they are about. */
export const matrix: [string, object][] = [
  ['the values of the chart', { neo4j }],
  [
    'knowledge',
    {
      neo4j,
      vocabulary: { sdl: 'type A @class { name: String }' },
      rules: { files: { 'no-kings.cypher': '// rule: no-kings\nRETURN 1' } },
      policy: { json: '{"closed": []}' },
    },
  ],
  [
    'knowledge of ConfigMaps',
    {
      neo4j,
      vocabulary: { existingConfigMap: 'v', key: 'world.graphql' },
      rules: { existingConfigMap: 'r' },
      policy: { existingConfigMap: 'p' },
    },
  ],
  [
    'tokens, secrets and other ports',
    {
      neo4j: { ...neo4j, userKey: 'user', reader: { user: 'reader', existingSecret: 'reader' } },
      config: { API_KEYS: false, JWT_ISSUER: 'i', JWT_AUDIENCE: 'a', PORT: 8080, MAX_BODY_BYTES: 16_777_216 },
      secrets: { JWT_SECRET: { name: 's', key: 'k' } },
      secretFiles: { AGENT_CARD_KEY: { name: 's', key: 'pem' }, SUPPRESSION_KEY: { name: 's', key: 'k' } },
    },
  ],
  [
    'doors',
    {
      neo4j,
      ingress: {
        enabled: true,
        hosts: ['a.example.org'],
        tls: [{ secretName: 't', hosts: ['a.example.org'] }],
      },
      httpRoute: { enabled: true, parentRefs: [{ name: 'g' }], hostnames: ['a.example.org'] },
      grpcRoute: { enabled: true, parentRefs: [{ name: 'g' }], hostnames: ['g.example.org'] },
    },
  ],
  ['TLS', { neo4j, tls: { secretName: 'concord-tls' }, serviceMonitor: { enabled: true } }],
  [
    'growth and watching',
    {
      neo4j,
      autoscaling: { enabled: true, targetSubscriptions: 1500 },
      serviceMonitor: { enabled: true },
      prometheusRule: { enabled: true },
      dashboards: { enabled: true },
      networkPolicy: { from: [{ podSelector: {} }], extraEgress: [{ ports: [{ port: 4318 }] }] },
    },
  ],
  [
    'as little as can be',
    {
      neo4j: { uri: 'bolt://db' },
      grpc: { enabled: false },
      networkPolicy: { enabled: false },
      podDisruptionBudget: { enabled: false },
      serviceAccount: { create: false },
      topologySpreadConstraints: [],
      migrations: { enabled: false },
    },
  ],
];
