// Starts GraphiQL. It asks this host only: queries by POST, subscriptions over graphql-transport-ws. The headers of its editor go with both.

const endpoint = new URL('/graphql', location.href);

async function query(params, headers) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  return response.json();
}

/** An observable, as GraphiQL takes them. */
function subscription(params, headers) {
  return {
    subscribe(observer) {
      const socket = new WebSocket(endpoint.href.replace(/^http/, 'ws'), 'graphql-transport-ws');
      const send = (message) => socket.send(JSON.stringify(message));
      const answers = {
        connection_ack: () => send({ id: '1', type: 'subscribe', payload: params }),
        ping: () => send({ type: 'pong' }),
        next: ({ payload }) => observer.next(payload),
        error: ({ payload }) => {
          observer.next({ errors: payload });
          socket.close(1000);
        },
        complete: () => socket.close(1000),
      };
      socket.onopen = () => send({ type: 'connection_init', payload: headers });
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(data);
        answers[message.type]?.(message);
      };
      socket.onclose = ({ code, reason }) => {
        if (code === 1000) observer.complete();
        else observer.error({ message: `The socket was closed: ${code} ${reason}` });
      };
      return { unsubscribe: () => socket.close(1000) };
    },
  };
}

function kindOf(document, name) {
  const operations = document?.definitions.filter(({ kind }) => kind === 'OperationDefinition') ?? [];
  return (operations.find((each) => each.name?.value === name) ?? operations[0])?.operation;
}

const workers = { editorWorkerService: 'editor', json: 'json', graphql: 'graphql' };
self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => `/graphql/explorer/${workers[label]}.worker.js`,
};

const welcome = `# Headers, below, as JSON: who asks, and what statements must meet.
# {
#   "X-API-Key": "…",
#   "X-Required-Certainty": "0.8",
#   "X-Max-Age-Seconds": "86400",
#   "X-As-Of": "2026-01-31T12:00:00Z"
# }

query Entities {
  entities(limit: 10) {
    id
    type
    statements(first: 5) {
      predicate
      object { id value }
      certainty
      sourceAgentId
    }
  }
}

subscription Changes {
  statementChanged {
    sequence
    op
    statement {
      subject { id }
      predicate
      object { id value }
      certainty
    }
  }
}
`;

globalThis.YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
  title: 'Concord',
  logo: '',
  // Keys are not left behind in the browser's storage.
  shouldPersistHeaders: false,
  defaultQuery: welcome,
  fetcher: (params, { headers, documentAST } = {}) =>
    kindOf(documentAST, params.operationName) === 'subscription'
      ? subscription(params, headers ?? {})
      : query(params, headers ?? {}),
});
