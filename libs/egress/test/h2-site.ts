import { createSecureServer, type Http2Session, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { createGuard, createHttpClient, type HttpClient, parseAllowList } from '../src/index.ts';
import { fakeResolver, listen, SITE_ADDRESS } from './loopback-site.ts';
import { SITE_EXAMPLE_CERTIFICATE, SITE_EXAMPLE_KEY } from './site-certificate.ts';

export const KEYS = { key: SITE_EXAMPLE_KEY, cert: SITE_EXAMPLE_CERTIFICATE };

/** Creates a client that resolves and trusts site.example. */
export function siteExampleClient(offerHttp2 = false): HttpClient {
  const { resolve } = fakeResolver({ 'site.example': [SITE_ADDRESS] });
  const guard = createGuard({ allow: parseAllowList('site.example'), resolve });
  return createHttpClient(guard, { ca: SITE_EXAMPLE_CERTIFICATE, offerHttp2 });
}

/** A site that supports HTTP/2 only. */
export interface H2Site {
  readonly origin: string;
  /** Sessions opened so far. */
  opened(): number;
  close(): void;
}

export type OnStream = (stream: ServerHttp2Stream, path: string, session: Http2Session) => void;

export async function startH2(onStream: OnStream): Promise<H2Site> {
  const sessions = new Set<ServerHttp2Session>();
  let count = 0;
  const server = createSecureServer(KEYS);
  // A session that ended by itself may leave its socket open.
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('session', (session) => {
    count += 1;
    sessions.add(session);
    session.on('error', () => {}).on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    if (stream.session !== undefined) onStream(stream, headers[':path'] ?? '', stream.session);
  });
  const port = await listen(server, SITE_ADDRESS);
  const close = () => {
    for (const session of sessions) session.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { origin: `https://site.example:${port}`, opened: () => count, close };
}

/** Responds with a small plain page. */
export const fine: OnStream = (stream) => {
  stream.respond({ ':status': 200, 'content-type': 'text/plain', 'set-cookie': ['a=1', 'b=2'] });
  stream.end('fine');
};
