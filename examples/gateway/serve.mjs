// Serves the page, and starts two agents behind the gateway:
//   CORS_ALLOWED_ORIGINS=http://127.0.0.1:8080 AGENT_ALLOW=127.0.0.1 npm start
//   node examples/gateway/serve.mjs
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { question, startAgent } from 'concord/agent';

const [url = 'http://127.0.0.1:4000', port = '8080'] = process.argv.slice(2);
const agent = (id, name, description, tags, run) =>
  startAgent({ id, name, description, concord: { url }, skills: [{ id, name, description, tags, run }] });

const agents = await Promise.all([
  agent('painter', 'Painter', 'Paints flags of countries.', ['flags'], async ({ text, history, tell }) => {
    if (history.length === 0) return question('In which colours?');
    tell('mixing the colours');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return `A flag in ${text}`;
  }),
  agent('surveyor', 'Surveyor', 'Knows how long rivers are.', ['rivers'], () => 'The Rhine has 1,233 km.'),
]);

const types = { html: 'text/html; charset=utf-8', css: 'text/css', js: 'text/javascript' };
const server = createServer(async ({ url: path }, response) => {
  const name = path.split('?')[0] === '/' ? 'index.html' : path.split('?')[0].slice(1);
  if (!['index.html', 'page.css', 'page.js'].includes(name)) return response.writeHead(404).end();
  response.setHeader('content-type', types[name.split('.').pop()]);
  response.end(await readFile(new URL(name, import.meta.url)));
});
server.listen(Number(port), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${port}/?concord=${encodeURIComponent(url)}`),
);

process.once('SIGINT', async () => {
  server.close();
  await Promise.all(agents.map((each) => each.close()));
});
