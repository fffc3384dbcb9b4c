import type { Response } from 'express';
import type { ServerEvent } from './endpoint.ts';

/** Heartbeat interval, ms. Proxies close idle connections after longer times. */
const HEARTBEAT_MS = 15_000;

/**
 * Writes server-sent events as they arrive, with heartbeat comments. Stops when the client disconnects.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export async function sendEvents(
  response: Response,
  events: (closed: AbortSignal) => AsyncIterable<ServerEvent>,
): Promise<void> {
  const closed = new AbortController();
  response.on('close', () => closed.abort());
  response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  response.flushHeaders();
  const heartbeat = setInterval(() => response.write(': heartbeat\n\n'), HEARTBEAT_MS);
  try {
    for await (const { event, id, data } of events(closed.signal)) {
      if (closed.signal.aborted) return;
      const named = id === undefined ? '' : `id: ${id}\n`;
      const hasRoom = response.write(`${named}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (!hasRoom) await drained(response, closed.signal);
    }
  } finally {
    clearInterval(heartbeat);
    response.end();
  }
}

/** Waits until a slow client has read the buffered data. */
function drained(response: Response, closed: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    closed.addEventListener('abort', () => resolve(), { once: true });
  });
}
