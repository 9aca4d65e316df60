import { request } from 'node:http';

/** Ways to write one address, of which a router may take some for the same. */
const rules: Record<string, (path: string) => string> = {
  'as it is': (path) => path,
  'slash at the end': (path) => `${path}/`,
  'two slashes at the end': (path) => `${path}//`,
  'upper case': (path) => path.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()),
  'upper case and slash': (path) => `${path.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())}/`,
  'upper-case verb': (path) => path.replace(/[a-z]+$/, (verb) => verb.toUpperCase()),
  'first letters': (path) => path.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
  'double slash before the version': (path) => path.replace('/v1', '//v1'),
  'double slash after the version': (path) => path.replace('/v1/', '/v1//'),
  'encoded colon': (path) => path.replace(':', '%3A'),
  'encoded letter of the verb': (path) => path.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`),
  'encoded letter of the version': (path) => path.replace('/v1', '/%761'),
  'encoded slash': (path) => path.replace('/v1/', '/v1%2F'),
  'dot segment': (path) => path.replace('/v1/', '/v1/./'),
  'dots up': (path) => path.replace('/v1/', '/v1/x/../'),
  query: (path) => `${path}?a=:send`,
  'empty query': (path) => `${path}?`,
  'query and slash': (path) => `${path}/?x=/message:send`,
  parameters: (path) => `${path};a=b`,
  'space at the end': (path) => `${path}%20`,
};

/** Spellings of a path by the name of their rule; `{id}` in it stays as it is. */
export function spellings(path: string, id = ''): [rule: string, path: string][] {
  return Object.entries(rules).map(([rule, spell]) => [rule, spell(path.replace('{id}', '0000')).replace('0000', id)]);
}

export interface RawAnswer {
  status: number;
  type: string;
  /** The whole of it, once it has ended. */
  text: Promise<string>;
}

/** Sends a request whose path nothing rewrites, and gives the answer when its head has come. */
export function sendRaw(
  url: string,
  { method = 'POST', headers, body }: { method?: string; headers: Record<string, string>; body?: object },
): Promise<RawAnswer> {
  const { origin } = new URL(url);
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path: url.slice(origin.length), headers, agent: false },
      (response) => {
        const text = (async () => {
          let all = '';
          for await (const chunk of response) all += chunk;
          return all;
        })();
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text });
      },
    );
    sent.on('error', reject);
    if (body) sent.setHeader('Content-Type', 'application/json');
    sent.end(body && JSON.stringify(body));
  });
}
