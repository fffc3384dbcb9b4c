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

/** Returns the number of the last row that a client received; 0 without a valid one. */
const numberOf = (lastEventId: string): number => (/^\d{1,9}$/.test(lastEventId) ? Number(lastEventId) : 0);

const rereadSignal = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(REREAD_MS)]);

function* pageEvents<Row>(
  rows: readonly { readonly number: number; readonly row: Row }[],
  render: (row: Row) => PageRow,
): Generator<ServerEvent> {
  for (const { number, row } of rows) yield { event: 'page', id: String(number), data: render(row) };
}

/** Returns the end of a job without further rows, or a progress that is not shown yet. */
function statusEvent(
  end: ServerEvent['data'] | undefined,
  state: { readonly fields: unknown; readonly text: string } | undefined,
  shown: string | undefined,
): ServerEvent | undefined {
  if (end !== undefined) return { event: 'done', data: end };
  return state === undefined || state.text === shown ? undefined : { event: 'progress', data: state.fields };
}

/** Yields the events of a job: pages as they complete, progress when it changes, and the end. */
export async function* streamJob<Job, Row>(
  feeds: JobFeeds<Job, Row>,
  { jobId, call, lastEventId, source, render }: JobStream<Job, Row>,
  closed: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const signal = AbortSignal.any([closed, AbortSignal.timeout(STREAM_MAX_MS)]);
  let after = numberOf(lastEventId);
  let shown: string | undefined;
  const { feed, advance, release } = feeds.open({ jobId, caller: call.caller, after }, source);
  try {
    while (!signal.aborted) {
      // Read before the rows, so that no change during the read is missed.
      const { change, end } = feed;
      const { rows, isMore } = await feed.rowsAfter(after);
      yield* pageEvents(rows, render);
      after = rows.at(-1)?.number ?? after;
      advance(after);
      if (rows.length > 0) continue;
      const { failure, state } = feed;
      if (failure !== undefined) throw failure;
      const event = statusEvent(isMore ? undefined : end, state, shown);
      if (event !== undefined) yield event;
      if (event?.event === 'done') return;
      shown = state?.text;
      await waitFor(change, isMore ? rereadSignal(signal) : signal);
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
