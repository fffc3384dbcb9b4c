import type { PageRow } from '@tidemark/api';
import type { ServerEvent } from '../http/endpoint.ts';

const POLL_EVERY_MS = 500;
const PAGES_AT_ONCE = 100;
/** Maximum duration of a stream, ms. Clients resume with Last-Event-ID. */
const STREAM_MAX_MS = 30 * 60_000;

/** The state of a job at one poll. */
export interface JobSnapshot {
  /** Pages completed since the last poll, with their numbers. */
  readonly rows: readonly { readonly number: number; readonly row: PageRow }[];
  readonly last: number;
  readonly state: Readonly<Record<string, unknown>>;
  /** Fields of the final event, set when the job has ended and all pages were returned. */
  readonly end: Readonly<Record<string, unknown>> | undefined;
}

/** Reads the state of a running job. */
export interface JobSource {
  read(after: number, limit: number): Promise<JobSnapshot>;
}

/** Yields the events of a job: pages as they complete, progress when it changes, and the end. Polls every `POLL_EVERY_MS`. */
export async function* streamJob(
  source: JobSource,
  lastEventId: string,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const endsAtMs = Date.now() + STREAM_MAX_MS;
  let after = /^\d{1,9}$/.test(lastEventId) ? Number(lastEventId) : 0;
  let lastProgress = '';
  while (!signal.aborted && Date.now() < endsAtMs) {
    const { rows, last, state, end } = await source.read(after, PAGES_AT_ONCE);
    for (const { number, row } of rows) yield { event: 'page', id: String(number), data: row };
    after = Math.max(after, last);
    if (end !== undefined) {
      yield { event: 'done', data: { ...state, ...end } };
      return;
    }
    const text = JSON.stringify(state);
    if (text !== lastProgress) yield { event: 'progress', data: state };
    lastProgress = text;
    if (rows.length < PAGES_AT_ONCE) await waitForPoll(signal);
  }
}

function waitForPoll(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, POLL_EVERY_MS);
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
    signal.addEventListener('abort', end, { once: true });
  });
}
