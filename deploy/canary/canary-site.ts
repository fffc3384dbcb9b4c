// The site of the canary: a few pages, one of which changes each round, and the URL at which it receives webhooks.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

/** Pages whose content changes, one a round in turn. A page that changed in three runs in a row would count as changing by itself. */
const PAGES = 5;
const MAX_MESSAGE_BYTES = 1024 * 1024;

export interface CanarySite {
  readonly port: number;
  /** Changes the next page. @returns its path */
  change(): string;
  close(): Promise<void>;
}

export interface CanarySiteOptions {
  /** Host and port on which it listens; port 0 takes any free one. */
  readonly host: string;
  readonly port: number;
  /** Called with each message that is received, before the sender gets a response. An error refuses the message. */
  readonly onMessage: (headers: IncomingHttpHeaders, raw: string) => Promise<void>;
  /** Returns the metrics in the text format of Prometheus. */
  readonly metrics: () => string;
}

/** Path at which messages are received. */
export const HOOK_PATH = '/hook';

/** Serves the site, the receiver of its webhooks at HOOK_PATH, and `/metrics` and `/healthz` on one port. */
export async function startCanarySite({ host, port, onMessage, metrics }: CanarySiteOptions): Promise<CanarySite> {
  let round = 0;
  const readings = Array.from({ length: PAGES }, (_, index) => index);
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0] ?? '/';
    if (request.method === 'POST' && path === HOOK_PATH) return receive(request, response, onMessage);
    if (request.method !== 'GET' && request.method !== 'HEAD') return void response.writeHead(405).end();
    const page = pageAt(path, readings);
    if (path === '/metrics')
      return void response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(metrics());
    if (path === '/healthz') return void response.writeHead(200).end('ok');
    if (page === undefined) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' }).end(page);
  });
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    change() {
      const index = round % PAGES;
      round += 1;
      readings[index] = PAGES + round;
      return `/readings/${index + 1}`;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function receive(
  request: AsyncIterable<Buffer> & { readonly headers: IncomingHttpHeaders },
  response: ServerResponse,
  onMessage: CanarySiteOptions['onMessage'],
): Promise<void> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of request) {
      bytes += piece.length;
      if (bytes > MAX_MESSAGE_BYTES) return void response.writeHead(413).end();
      pieces.push(piece);
    }
    await onMessage(request.headers, Buffer.concat(pieces).toString('utf8'));
    response.writeHead(204).end();
  } catch {
    response.writeHead(400).end(); // an unsigned or broken message
  }
}

/** Words whose order gives each reading a text of its own. */
const GAUGES = [
  'the old harbour',
  'the north pier',
  'the lock',
  'the lighthouse',
  'the estuary',
  'the shipyard',
  'the weir',
];
const WINDS = ['north', 'north-east', 'east', 'south-east', 'south', 'south-west', 'west'];

function pageAt(path: string, readings: readonly number[]): string | undefined {
  if (path === '/') {
    const links = readings.map((_, index) => `<li><a href="/readings/${index + 1}">Gauge ${index + 1}</a></li>`);
    return html(
      'Gauges of the harbour',
      `<p>Water levels at the gauges of the harbour, measured by the harbour office.</p><ul>${links.join('')}</ul>`,
    );
  }
  const index = Number(/^\/readings\/(\d)$/.exec(path)?.[1] ?? 0) - 1;
  const reading = readings[index];
  if (reading === undefined) return undefined;
  const gauge = GAUGES[(reading * 3) % GAUGES.length];
  const wind = WINDS[(reading * 5) % WINDS.length];
  return html(
    `Gauge ${index + 1}`,
    `<p>This page describes gauge ${index + 1}, which stands at the quay and is read by hand.</p>
     <p>Reading ${reading}: the water at ${gauge} stood ${100 + ((reading * 37) % 400)} centimetres above the mark, with wind from the ${wind}.</p>
     <p>Readings are corrected for the pressure of the air. The harbour office has older ones.</p>`,
  );
}

const html = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`;
