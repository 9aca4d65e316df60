import { fileURLToPath } from 'node:url';
import express, { type Request, type Response, Router } from 'express';
import helmet from 'helmet';

/** Paths from `src/graphql` as from `dist/graphql`. */
const page = fileURLToPath(new URL('../../explorer/', import.meta.url));
const graphiql = fileURLToPath(new URL('../../dist/explorer/', import.meta.url));

/** Everything is a file of this host. Monaco, GraphiQL's editor, makes style elements. */
const policy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    workerSrc: ["'self'"],
    connectSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ['data:'],
    fontSrc: ['data:'],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
});

/** Whether a browser opens the address, rather than a program asking it something. */
export function wantsPage(request: Request): boolean {
  const asks = request.method === 'GET' && request.path === '/' && request.query.query === undefined;
  return asks && request.accepts(['application/json', 'text/html']) === 'text/html';
}

/** GraphiQL, with nothing loaded from elsewhere: the page itself and, under /explorer, what it loads. */
export function explorer(): { page(request: Request, response: Response): void; files: Router } {
  const files = Router();
  files.use('/explorer', policy, express.static(page, { index: false }), express.static(graphiql));
  return {
    page: (request, response) =>
      policy(request, response, () => response.vary('Accept').sendFile('index.html', { root: page })),
    files,
  };
}
