import { type Response, Router } from 'express';
import { scopes } from '../security/principal.ts';

const path = '/.well-known/oauth-protected-resource';

export interface ProtectedResource {
  /** Who issues the tokens that are taken. */
  issuer: string;
  /** Where the service is reached; asked once it listens. */
  url(): string;
}

/**
 * Where a caller gets a token for Concord: OAuth 2.0 Protected Resource Metadata, RFC 9728. The address of it stands in
 * the challenge of each refusal (section 5.1).
 */
export function protectedResource({ issuer, url }: ProtectedResource): Router {
  const router = Router();
  const base = () => url().replace(/\/+$/, '');
  router.use((_request, response, next) => {
    const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => Response;
    response.writeHead = (...head: unknown[]) => {
      const challenge = response.getHeader('WWW-Authenticate');
      if (typeof challenge === 'string' && challenge.startsWith('Bearer '))
        response.setHeader('WWW-Authenticate', `${challenge}, resource_metadata="${base()}${path}"`);
      return writeHead(...head);
    };
    next();
  });
  router.get(path, (_request, response) => {
    response.set('Cache-Control', 'public, max-age=3600').json({
      resource: base(),
      // An issuer is an address, RFC 8414; that of other tokens may be any text.
      ...(/^https?:\/\//.test(issuer) && { authorization_servers: [issuer] }),
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
      resource_name: 'Concord',
    });
  });
  return router;
}
