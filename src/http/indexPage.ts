import type { RequestHandler } from 'express';

const addresses = {
  '/a2a': 'JSON-RPC 2.0 by POST: knowledge/query, knowledge/update, knowledge/subscribe, and the task methods of A2A',
  '/a2a/v1': 'A2A over HTTP+JSON: POST /a2a/v1/message:send',
  '/a2a/concord/rpc': 'AgentOS by POST: run; other agents, one for each skill, stand beside concord',
  '/agents': 'The agents that are registered',
  '/agent-card': 'Tasks by plain HTTP, POST /tasks/send: what can be asked for',
  '/openapi': 'All addresses, as OpenAPI 3.1 describes them at /openapi.json',
  '/ag-ui': 'AG-UI by POST: one address for people, behind which all registered agents are',
  '/.well-known/agent-card.json': 'The agent card',
  '/a2a/concord/.well-known/agent-card.json': 'The agent card of AgentOS',
  '/schema.graphql': 'The GraphQL schema of the graph',
  '/healthz': 'Whether the process is alive',
  '/readyz': 'Whether it can serve, check by check',
  '/metrics': 'Metrics for Prometheus',
};

/** What a browser can't open, for it is not read by GET. */
const unlinked = new Set(['/a2a', '/a2a/v1', '/a2a/concord/rpc', '/ag-ui']);

/** Lists what can be found where, for programs and for people. */
export function index(mounted: string[], operationsApart: boolean): RequestHandler {
  const { '/metrics': metrics, ...others } = addresses;
  const own = operationsApart ? others : { ...others, '/metrics': metrics };
  const all = { ...own, ...Object.fromEntries(mounted.map((path) => [path, 'GraphQL'])) };
  const items = Object.entries(all).map(([path, what]) => {
    const name = `<code>${path}</code>`;
    return `<li>${unlinked.has(path) ? name : `<a href="${path}">${name}</a>`} ${what}</li>`;
  });
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Concord</title>
<h1>Concord</h1><p>A shared knowledge graph for software agents.</p><ul>${items.join('\n')}</ul></html>`;
  return (_request, response) => {
    response.format({
      json: () => response.json({ name: 'Concord', addresses: all }),
      html: () => response.send(html),
    });
  };
}
