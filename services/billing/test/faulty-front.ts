import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { SITE_ADDRESS } from '@tidemark/testkit';

/**
 * What happens to a request. refused: the connection ends; error: status 500; hanging: accepted and never answered; trickling: the body arrives
 * byte by byte; unanswered: passed on, and its response is lost; late: passed on when the caller has given up.
 */
export const FAULTS = ['refused', 'error', 'hanging', 'trickling', 'unanswered', 'late'] as const;
export type Fault = (typeof FAULTS)[number];

export interface Front {
  readonly url: string;
  /** Applies a fault to requests whose method and path match. */
  break(fault: Fault, matches: RegExp): void;
  repair(): void;
  /** Method and path of the requests that a fault was applied to. */
  readonly broken: readonly string[];
  /** Resolves when the requests are passed on that were late. */
  passed(): Promise<void>;
  close(): Promise<void>;
}

/** Above the deadline of a request to a gateway, ms. */
const LATE_MS = 12_000;
const TRICKLE_MS = 500;

/** Starts a server in front of a gateway that breaks requests. */
export async function startFaultyFront(target: string): Promise<Front> {
  let rule: { fault: Fault; matches: RegExp } | undefined;
  const broken: string[] = [];
  const late: Promise<void>[] = [];
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const name = `${request.method} ${request.url}`;
    const fault = rule?.matches.test(name) ? rule.fault : undefined;
    const pass = () => passOn(`${target}${request.url}`, request, body);
    if (fault === undefined) return send(response, await pass());
    broken.push(name);
    if (fault === 'refused') request.socket.destroy();
    else if (fault === 'error') response.writeHead(500).end('{"error": {}}');
    else if (fault === 'trickling') trickle(response);
    else if (fault === 'unanswered') await pass();
    else if (fault === 'late')
      late.push(new Promise((resolve) => setTimeout(() => void pass().then(() => resolve()), LATE_MS)));
  });
  await new Promise<void>((resolve) => server.listen(0, SITE_ADDRESS, resolve));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server has no port');
  return {
    url: `http://${SITE_ADDRESS}:${bound.port}`,
    broken,
    break(fault, matches) {
      rule = { fault, matches };
      broken.length = 0;
    },
    repair() {
      rule = undefined;
    },
    async passed() {
      await Promise.all(late);
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Passed {
  readonly status: number;
  readonly text: string;
}

async function passOn(url: string, { method = 'GET', headers }: IncomingMessage, body: Buffer): Promise<Passed> {
  const { authorization = '', 'content-type': type = 'application/json' } = headers;
  const hasBody = body.length > 0 ? { body: new Uint8Array(body) } : {};
  const response = await fetch(url, { method, headers: { authorization, 'content-type': type }, ...hasBody });
  return { status: response.status, text: await response.text() };
}

const send = (response: ServerResponse, { status, text }: Passed) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);

function trickle(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), TRICKLE_MS);
  response.once('close', () => clearInterval(timer));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
