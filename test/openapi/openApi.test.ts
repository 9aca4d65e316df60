import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenApi } from '../../src/openapi/openApi.ts';
import { useService } from '../support/setUp.ts';

const service = useService();

/** A layer of the router, which Express doesn't describe. */
interface Layer {
  match(path: string): boolean;
  slash: boolean;
  handle: { stack?: Layer[] };
  route?: { path: string; methods: Record<string, boolean> };
}

async function description(): Promise<OpenApi> {
  return (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
}

/** The layers of the application that answers a request, as it is mounted. */
async function layers(): Promise<Layer[]> {
  const servers: Server[] = [];
  const seen = (message: unknown) => servers.push((message as { server: Server }).server);
  subscribe('http.server.request.start', seen);
  await fetch(`${service.url}/healthz`);
  unsubscribe('http.server.request.start', seen);
  const app = servers[0]?.listeners('request')[0] as unknown as { router: { stack: Layer[] } } | undefined;
  if (!app) throw new Error('No server has answered');
  return app.router.stack;
}

/** `/tasks/:taskId\:cancel` → `/tasks/{taskId}:cancel` */
const templateOf = (path: string) => path.replace(/\/:(\w+)/g, '/{$1}').replaceAll('\\', '');

/** Paths below which something is mounted, for each path that is described. */
const prefixesOf = (path: string) => path.split('/').map((_, index, all) => all.slice(0, index + 1).join('/'));

/** Every route, as `get /tasks/{id}`; of a handler without routes, where it is mounted. */
function routesOf(stack: Layer[], prefixes: string[], at = ''): string[] {
  return stack.flatMap((layer) => {
    if (layer.route) {
      const path = `${at}${templateOf(layer.route.path)}`;
      const all = Object.keys(layer.route.methods);
      // What answers all methods says which one is meant.
      const verbs = all.includes('put') ? [] : all.filter((verb) => ['get', 'post', 'delete'].includes(verb));
      return verbs.map((verb) => `${verb} ${path === '' ? '/' : path.length > 1 ? path.replace(/\/$/, '') : path}`);
    }
    const mounted = layer.slash
      ? at
      : prefixes.find((each) => each.startsWith(at) && layer.match(each.slice(at.length)));
    if (layer.handle.stack)
      return mounted === undefined ? ['nowhere'] : routesOf(layer.handle.stack, prefixes, mounted);
    return layer.slash ? [] : [`mounted ${mounted ?? 'nowhere'}`];
  });
}

test('every route that is mounted is described, and every address that is described is mounted', async () => {
  const { paths } = await description();
  const described = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.keys(verbs).map((verb) => `${verb} ${path}`),
  );
  const prefixes = [...new Set(Object.keys(paths).flatMap(prefixesOf))];
  const routes = routesOf(await layers(), prefixes);
  expect(routes.length).toBeGreaterThan(40);
  expect(routes.filter((route) => !route.startsWith('mounted ') && !described.includes(route))).toEqual([]);
  expect(routes).not.toContain('mounted nowhere');
  // Handlers of a whole path, and what is there only with a key.
  const whole = ['get /graphql', 'post /graphql', 'get /graphql/explorer/{file}', 'get /.well-known/jwks.json'];
  whole.push('get /.well-known/oauth-protected-resource');
  expect(described.filter((each) => !routes.includes(each) && !whole.includes(each))).toEqual([]);
});

test('the description is valid, and all that it refers to is there', async () => {
  const { paths, components, ...rest } = await description();
  expect(rest).toMatchObject({ openapi: '3.1.0', info: { title: 'Concord' } });
  const named = [...JSON.stringify({ paths, components }).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to = '']) => to);
  const missing = named.filter((to) => !components.schemas[to.replace('#/components/schemas/', '')]);
  expect(missing).toEqual([]);
  const ajv = new Ajv2020({ strict: false });
  for (const schema of Object.values(components.schemas)) expect(ajv.validateSchema(schema)).toBe(true);
});

test('the page shows each address, without a script and with what stands in the description escaped', async () => {
  const response = await fetch(`${service.url}/openapi`);
  const html = await response.text();
  expect(response.headers.get('content-type')).toContain('text/html');
  for (const path of Object.keys((await description()).paths)) expect(html).toContain(`<code>${path}</code>`);
  expect(html).not.toMatch(/<script|src=|https?:\/\/(?!example|json-schema)/);
});
