import { buildConnector } from 'undici';
import type { DialTcp } from '../connections/dial-tcp.ts';
import { asError } from '../errors/errors.ts';
import type { EgressGuard } from '../policy/guard.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';

export interface DialledClientOptions {
  /** PEM certificates trusted in addition to node's list. */
  readonly ca?: string;
}

/** The dialler resolves and checks the name, so that the client passes it on. */
const CHECKED_BY_DIALLER: EgressGuard = {
  admit: async (hostname) => ({ address: hostname, family: 4 }),
};

/** Creates an HTTP client that opens every connection with a guarded dialler, for protocols over HTTP that share it with others. HTTP/1.1 only. */
export function createDialledHttpClient(dialTcp: DialTcp, { ca }: DialledClientOptions = {}): HttpClient {
  const overTls = buildConnector({ allowH2: false, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) });
  const dial: buildConnector.connector = (target, callback) => {
    const host = target.hostname.replace(/^\[(.*)\]$/, '$1');
    dialTcp({ host, port: Number(target.port) }).then(
      (socket) => {
        if (target.protocol !== 'https:') callback(null, socket);
        else overTls({ ...target, httpSocket: socket }, callback);
      },
      (error: unknown) => callback(asError(error), null),
    );
  };
  return createHttpClient(CHECKED_BY_DIALLER, { dial });
}
