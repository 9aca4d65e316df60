import express, { type Router } from 'express';
import type { OpenApi } from './openApi.ts';
import { openApiPage } from './page.ts';

/** `/openapi.json`, and a page of it at `/openapi`. They tell forms and no data, so they are for anybody. */
export function openApiRouter(description: OpenApi): Router {
  const page = openApiPage(description);
  const router = express.Router();
  router.get('/openapi.json', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=60').json(description);
  });
  router.get('/openapi', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=60').type('html').send(page);
  });
  return router;
}
