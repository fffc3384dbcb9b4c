import { once } from 'node:events';
import type { Response } from 'express';
import type { FileResponse } from './endpoint.ts';

/** Longest time in which a client must read what was sent, ms. */
const STALL_MS = 60_000;

/**
 * Writes a file as its chunks arrive. A slow client stops the source. A failure destroys the connection, so that the client does not take
 * a part for the whole (RFC 9112, 8: a chunked message without its last chunk is incomplete).
 */
export async function sendFile(response: Response, { chunks, stop }: FileResponse): Promise<void> {
  response.on('close', () => stop.abort());
  if (response.destroyed) stop.abort();
  try {
    response.flushHeaders();
    for await (const chunk of chunks) {
      if (stop.signal.aborted) return;
      if (!response.write(chunk)) {
        const limit = AbortSignal.any([stop.signal, AbortSignal.timeout(STALL_MS)]);
        await once(response, 'drain', { signal: limit });
      }
    }
    response.end();
  } catch {
    response.locals['outcome'] = 'broken';
    response.destroy();
  } finally {
    stop.abort();
  }
}
