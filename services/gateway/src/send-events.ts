import type { Response } from 'express';
import type { ServerEvent } from './request-context.ts';

/** Proxies close connections that say nothing for longer. */
const HEARTBEAT_MS = 15_000;

/**
 * Writes server-sent events as they come, a comment in between so that the connection stays open, and stops asking for more when
 * the caller has gone. https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export async function sendEvents(
  response: Response,
  events: (gone: AbortSignal) => AsyncIterable<ServerEvent>,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  response.flushHeaders();
  const heartbeat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS);
  try {
    for await (const { event, id, data } of events(gone.signal)) {
      if (gone.signal.aborted) return;
      const named = id === undefined ? '' : `id: ${id}\n`;
      const hasRoom = response.write(`${named}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (!hasRoom) await drained(response, gone.signal);
    }
  } finally {
    clearInterval(heartbeat);
    response.end();
  }
}

/** A caller that reads slowly is waited for, not buffered for. */
function drained(response: Response, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    gone.addEventListener('abort', () => resolve(), { once: true });
  });
}
