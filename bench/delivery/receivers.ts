import { createServer, type Server } from 'node:http';

export const RECEIVERS = 50;
/** Numbers of the receivers that never respond, and of the slow one. */
const DEAD = 2;
const SLOW_MS = 2_000;
const ADDRESS = '127.0.0.2';

export type Temper = 'dead' | 'slow' | 'well';
export const temperOf = (place: number): Temper => (place < DEAD ? 'dead' : place === DEAD ? 'slow' : 'well');

/** One message as it arrived. */
export interface Arrival {
  readonly place: number;
  readonly id: string;
  /** Milliseconds since it was enqueued. */
  readonly delayMs: number;
}

/** Starts fifty receivers, each at its own origin. */
export interface Receivers {
  readonly urls: readonly string[];
  readonly arrivals: readonly Arrival[];
  clear(): void;
  close(): Promise<void>;
}

export async function startReceivers(): Promise<Receivers> {
  let arrivals: Arrival[] = [];
  const servers: Server[] = [];
  const urls: string[] = [];
  for (let place = 0; place < RECEIVERS; place += 1) {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { id, ts }: { id: string; ts: number } = JSON.parse(Buffer.concat(chunks).toString());
        arrivals.push({ place, id, delayMs: Date.now() - ts });
        const temper = temperOf(place);
        if (temper === 'slow') setTimeout(() => response.end('ok'), SLOW_MS);
        else if (temper === 'well') response.end('ok');
      });
    });
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
    const bound = server.address();
    if (bound === null || typeof bound === 'string') throw new Error('a receiver has no port');
    servers.push(server);
    urls.push(`http://${ADDRESS}:${bound.port}/hook`);
  }
  return {
    urls,
    get arrivals() {
      return arrivals;
    },
    clear() {
      arrivals = [];
    },
    async close() {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
