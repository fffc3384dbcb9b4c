import { type Core, LINES } from './core.ts';
import { requireActive } from './errors.ts';
import type { PageRow } from './generated/contract.ts';
import { backoff, isTransient, MAX_FAILURES, MAX_PAUSE_MS, networkError, type PageList, STALL_MS } from './job.ts';
import { readLines } from './lines.ts';
import { pause } from './pause.ts';

interface RowsRequest {
  readonly core: Core;
  /** Id of the crawl. */
  readonly id: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** Rows of a list. */
  readonly limit: number;
  /** Position after the last list that was yielded. */
  cursor: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Yields the rows of a crawl after a cursor from a stream of lines, and requests another stream where one breaks off.
 * @returns false if the server has no such stream
 */
export async function* readRows(request: RowsRequest): AsyncGenerator<PageList, boolean, undefined> {
  for (let failures = 0; ; ) {
    const before = request.cursor;
    try {
      return yield* readStream(request);
    } catch (error) {
      requireActive(request.signal);
      if (!isTransient(error) || failures >= MAX_FAILURES) throw error;
    }
    failures = request.cursor === before ? failures + 1 : 0;
    await pause(backoff(500, failures, MAX_PAUSE_MS), request.signal);
  }
}

async function* readStream(request: RowsRequest): AsyncGenerator<PageList, boolean, undefined> {
  const { core, id, query, limit, cursor, signal } = request;
  const stall = new AbortController();
  const response = await core.request('GET /crawl/{id}', {
    path: { id },
    query: { ...query, cursor },
    headers: { accept: LINES },
    signal: signal === undefined ? stall.signal : AbortSignal.any([signal, stall.signal]),
  });
  if (!(response instanceof Response) || response.body === null) return false;
  const watch = (): (() => void) => {
    const timer = setTimeout(() => stall.abort(new Error(`no bytes for ${STALL_MS} ms`)), STALL_MS);
    return () => clearTimeout(timer);
  };
  let data: PageRow[] = [];
  let last = cursor;
  try {
    for await (const lines of readLines(response.body, watch)) {
      for (const line of lines) {
        const { cursor: after, ...row } = JSON.parse(line);
        last = after;
        if (data.push(row) < limit) continue;
        request.cursor = last;
        yield { data, cursor: last };
        data = [];
      }
    }
  } catch (error) {
    throw networkError(error, 'the stream of rows');
  }
  if (data.length > 0) yield { data, cursor: last };
  return true;
}
