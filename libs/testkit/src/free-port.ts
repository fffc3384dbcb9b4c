import { createServer } from 'node:net';

/**
 * Ports of test programs: below Linux's ephemeral range (32768 and up), so that no outgoing connection takes a port between its choice and
 * the start of the program, and below those of the local stack (20000 and up).
 */
const LOWEST = 10_000;
const COUNT = 10_000;

let next = Math.floor(Math.random() * COUNT);

/** Returns a loopback port that is free, another one each time. @throws Error where all are in use */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = LOWEST + (next % COUNT);
    next += 1;
    if (await isFree(port)) return port;
  }
  throw new Error(`every port from ${LOWEST} to ${LOWEST + COUNT - 1} is in use`);
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
