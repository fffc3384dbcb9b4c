import { once } from 'node:events';
import { AppError } from '@tidemark/errors';
import type { Response } from 'express';
import type { ServerEvent } from './endpoint.ts';
import type { StreamAccess } from './stream-access.ts';

/** Heartbeat interval, ms. Proxies close idle connections after longer times. */
const HEARTBEAT_MS = 15_000;
/** Time in which a client must read the last event before its connection is closed, ms. */
const LAST_EVENT_MS = 1_000;

type Events = (closed: AbortSignal) => AsyncIterable<ServerEvent>;

/**
 * Writes server-sent events as they arrive, with heartbeat comments. Stops when the client disconnects. If the key is refused or the
 * events fail, the last event is `closed` with the error.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export async function sendEvents(response: Response, events: Events, access: StreamAccess | undefined): Promise<void> {
  const stop = new AbortController();
  response.on('close', () => stop.abort());
  // The client may have disconnected while the handler ran.
  if (response.destroyed) stop.abort();
  response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  response.flushHeaders();
  const heartbeat = setInterval(() => response.write(': heartbeat\n\n'), HEARTBEAT_MS);
  let refused: AppError | undefined;
  void access?.refusal(stop.signal).then((refusal) => {
    refused = refusal;
    stop.abort();
  });
  try {
    await writeAll(response, events(stop.signal), stop.signal);
    if (refused !== undefined) throw refused;
  } catch (error) {
    writeClosed(response, error);
  } finally {
    clearInterval(heartbeat);
    stop.abort();
    access?.release();
    response.end();
    const overdue = setTimeout(() => response.destroy(), LAST_EVENT_MS).unref();
    response.once('close', () => clearTimeout(overdue));
  }
}

/** Writes events until they end or the signal aborts. A read in progress is then abandoned, so that it does not delay the end. */
async function writeAll(response: Response, events: AsyncIterable<ServerEvent>, stopped: AbortSignal): Promise<void> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    while (!stopped.aborted) {
      const next = await unlessAborted(iterator.next(), stopped);
      if (next === undefined || next.done === true) return;
      if (!response.write(format(next.value)))
        await unlessAborted(once(response, 'drain', { signal: stopped }), stopped);
    }
  } finally {
    void iterator.return?.().catch(() => undefined);
  }
}

/** Resolves with the value, or with undefined as soon as the signal aborts. */
async function unlessAborted<T>(value: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  const end = () => resolve(undefined);
  signal.addEventListener('abort', end, { once: true });
  value.then(resolve, (error: unknown) => (signal.aborted ? end() : reject(error)));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function format({ event, id, data }: ServerEvent): string {
  const named = id === undefined ? '' : `id: ${id}\n`;
  return `${named}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Writes the reason for the end of a stream. */
function writeClosed(response: Response, error: unknown): void {
  const known = error instanceof AppError ? error : new AppError('internal', 'the stream ended unexpectedly');
  response.locals['outcome'] = known.code;
  response.locals['message'] = known.message;
  if (!response.writable) return;
  response.write(format({ event: 'closed', data: { code: known.code, error: known.message } }));
}
