import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { closesWithin } from '../base/endsWithin.ts';
import { StartupError } from '../base/errors.ts';
import { isLoopback } from '../base/isLoopback.ts';
import { socketsOf } from '../base/portSockets.ts';
import type { Config } from '../config/config.ts';
import { type CertificateFiles, listenerTls } from '../security/certificateFiles.ts';

export interface Listening {
  server: Server;
  /** Where it listens: `http://127.0.0.1:4000`. */
  url: string;
  /** Takes no more connections, waits at most SHUTDOWN_MS for those in use, and cuts the rest. */
  close(): Promise<void>;
}

export type ListenConfig = Pick<Config, 'HOST' | 'PORT' | 'SHUTDOWN_MS'>;

/** The setting that a port comes from. */
type PortSetting = 'PORT' | 'OPERATIONS_PORT';

export interface ListenOptions {
  /** Whether callers are told from each other. */
  identities?: boolean;
  /** Where the port comes from, for who has to mend it. */
  setting?: PortSetting;
  /** For HTTPS. */
  certificates?: CertificateFiles;
}

/**
 * Listens on HOST and PORT, for HTTPS where there are certificates, else for HTTP.
 * @throws StartupError when the address can't be had, or is open to others while nobody is told from anybody.
 */
export async function listen(
  app: RequestListener,
  config: ListenConfig,
  { identities = false, setting = 'PORT', certificates }: ListenOptions = {},
): Promise<Listening> {
  const { HOST: host, PORT: port } = config;
  if (!identities && !isLoopback(host)) {
    throw new StartupError(
      `HOST=${host} needs identities; without configured identities Concord serves one local principal and listens on ` +
        'loopback only. Set HOST to 127.0.0.1.',
    );
  }
  const server = certificates ? serverOf(app, certificates) : createServer(app);
  // Longer than callers and proxies keep an idle connection, so that it is not closed under a request on its way.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(startupError(error, host, port, setting)));
    server.listen(port, host.replace(/^\[(.*)\]$/, '$1'), resolve);
  });
  const { address, family, port: chosen } = server.address() as AddressInfo;
  const sockets = socketsOf(chosen);
  return {
    server,
    url: `${certificates ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${chosen}`,
    async close() {
      await closesWithin(new Promise((resolve) => server.close(resolve)), config.SHUTDOWN_MS, () => sockets.destroy());
      sockets.forget();
    },
  };
}

function serverOf(app: RequestListener, certificates: CertificateFiles): Server {
  const tls = listenerTls(certificates.current);
  const server = createTlsServer({ ...tls, ...certificates.current }, app);
  certificates.onChange((changed) => server.setSecureContext({ ...tls, ...changed }));
  return server;
}

function startupError(error: NodeJS.ErrnoException, host: string, port: number, setting: PortSetting): StartupError {
  const at = `Port ${port} on ${host}`;
  if (error.code === 'EADDRINUSE') {
    return new StartupError(`${at} is taken. Stop what listens there, or set ${setting}; 0 lets the system choose.`);
  }
  if (error.code === 'EACCES') return new StartupError(`${at} needs more rights. Set ${setting} to one above 1023.`);
  return new StartupError(`${at} cannot be listened on (${error.code ?? error.message}). Set HOST and ${setting}.`, {
    cause: error,
  });
}
