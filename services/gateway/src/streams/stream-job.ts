import type { PageRow } from '@tidemark/api';
import type { CallContext } from '@tidemark/service';
import type { ServerEvent } from '../http/endpoint.ts';
import type { JobSource } from './job-feed.ts';
import type { JobFeeds } from './job-feeds.ts';

/** Maximum duration of a stream, ms. Clients resume with Last-Event-ID. */
const STREAM_MAX_MS = 30 * 60_000;
/** Wait before a stream reads rows again that the source does not return yet, ms. */
const REREAD_MS = 500;

/** One stream of a job. */
export interface JobStream<Job, Row> {
  readonly jobId: string;
  readonly call: CallContext;
  readonly lastEventId: string;
  readonly source: JobSource<Job, Row>;
  /** Converts a row for this client. */
  readonly render: (row: Row) => PageRow;
}

/** Yields the events of a job: pages as they complete, progress when it changes, and the end. */
export async function* streamJob<Job, Row>(
  feeds: JobFeeds<Job, Row>,
  { jobId, call, lastEventId, source, render }: JobStream<Job, Row>,
  closed: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const signal = AbortSignal.any([closed, AbortSignal.timeout(STREAM_MAX_MS)]);
  let after = /^\d{1,9}$/.test(lastEventId) ? Number(lastEventId) : 0;
  let shown = '';
  const { feed, advance, release } = feeds.open({ jobId, caller: call.caller, after }, source);
  try {
    while (!signal.aborted) {
      // Read before the rows, so that no change during the read is missed.
      const { change, end } = feed;
      const { rows, isMore } = await feed.rowsAfter(after);
      for (const { number, row } of rows) {
        yield { event: 'page', id: String(number), data: render(row) };
        after = number;
      }
      advance(after);
      if (rows.length > 0) continue;
      const { failure, state } = feed;
      if (failure !== undefined) throw failure;
      if (end !== undefined && !isMore) {
        yield { event: 'done', data: end };
        return;
      }
      if (state !== undefined && state.text !== shown) {
        yield { event: 'progress', data: state.fields };
        shown = state.text;
      }
      await waitFor(change, isMore ? AbortSignal.any([signal, AbortSignal.timeout(REREAD_MS)]) : signal);
    }
  } finally {
    release();
  }
}

/** Resolves at the change or when the signal aborts. */
async function waitFor(change: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  signal.addEventListener('abort', end, { once: true });
  void change.then(end);
  await promise;
  signal.removeEventListener('abort', end);
}
