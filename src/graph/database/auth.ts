import neo4j, { type AuthToken, type AuthTokenManager } from 'neo4j-driver';
import { readSecret } from '../../config/secretFiles.ts';
import type { DatabaseAddress } from './database.ts';

/** What the driver is given for a log-in. */
export function authOf({
  user,
  password,
  passwordFile,
}: Pick<DatabaseAddress, 'user' | 'password' | 'passwordFile'>): AuthToken | AuthTokenManager | undefined {
  if (passwordFile !== undefined) return rereadAuth(user, passwordFile);
  return password === undefined ? undefined : neo4j.auth.basic(user, password);
}

/**
 * The driver asks for it whenever it takes a connection: new ones come with what the file says now, and those that are
 * there log in anew when it has changed.
 */
function rereadAuth(user: string, file: string): AuthTokenManager {
  let last: string | undefined;
  return {
    getToken: () => {
      try {
        last = readSecret(file);
      } catch (error) {
        // While it is being replaced.
        if (last === undefined) throw error;
      }
      return neo4j.auth.basic(user, last);
    },
    // The file may come after the change in Neo4j.
    handleSecurityException: () => true,
  };
}
