import { type Core, LINES } from './core.ts';
import { requireActive, TidemarkError } from './errors.ts';
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
  readonly cursor: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Yields the rows of a crawl after a cursor from a stream of lines, and requests another stream where one breaks off.
 * @returns false if the server has no such stream
 */
export async function* readRows({ cursor, ...request }: RowsRequest): AsyncGenerator<PageList, boolean, undefined> {
  let last = cursor;
  for (let failures = 0; ; ) {
    const before = last;
    const lists = streamLists({ ...request, cursor: last });
    try {
      for (let next = await lists.next(); ; next = await lists.next()) {
        if (next.done === true) return next.value;
        last = next.value.cursor;
        yield next.value;
      }
    } catch (error) {
      requireActive(request.signal);
      if (!isTransient(error) || failures >= MAX_FAILURES) throw error;
    } finally {
      await lists.return(false);
    }
    failures = last === before ? failures + 1 : 0;
    await pause(backoff(500, failures, MAX_PAUSE_MS), request.signal);
  }
}

async function* streamLists({
  core,
  id,
  query,
  limit,
  cursor,
  signal,
}: RowsRequest): AsyncGenerator<PageList, boolean, undefined> {
  const stall = new AbortController();
  const both = signal === undefined ? stall.signal : AbortSignal.any([signal, stall.signal]);
  const watch = (): (() => void) => {
    const late = new TidemarkError({ code: 'network', message: `the stream of rows sent nothing for ${STALL_MS} ms` });
    const timer = setTimeout(() => stall.abort(late), STALL_MS);
    return () => clearTimeout(timer);
  };
  const response = await core.request('GET /crawl/{id}', {
    path: { id },
    query: { ...query, cursor },
    headers: { accept: LINES },
    signal: both,
  });
  if (!hasBody(response)) return false;
  let rows: PageRow[] = [];
  let last = cursor;
  try {
    for await (const lines of readLines(response.body, watch)) {
      for (const line of lines) {
        const { cursor: after, ...row } = JSON.parse(line);
        last = after;
        rows.push(row);
        if (rows.length < limit) continue;
        yield { data: rows, cursor: last };
        rows = [];
      }
    }
  } catch (error) {
    requireActive(signal);
    throw error instanceof TidemarkError ? error : networkError(error, 'the stream of rows');
  }
  if (rows.length > 0) yield { data: rows, cursor: last };
  return true;
}

const hasBody = (value: unknown): value is { readonly body: ReadableStream<Uint8Array> } =>
  typeof value === 'object' && value !== null && 'body' in value && value.body instanceof ReadableStream;
