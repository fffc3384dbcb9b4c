import type { PageRow } from '@tidemark/api';
import type { ServerEvent } from '../../request-context.ts';

const LOOK_EVERY_MS = 500;
const PAGES_AT_ONCE = 100;
/** A stream ends after this; who wants more comes back with the last event's id. */
const LONGEST_MS = 30 * 60_000;

/** What a look at a job shows. */
export interface Look {
  /** Pages that have ended since, with their numbers. */
  readonly rows: readonly { readonly number: number; readonly row: PageRow }[];
  readonly last: number;
  readonly state: Readonly<Record<string, unknown>>;
  /** What there is to say at the end, once it has come and every page was shown. */
  readonly end: Readonly<Record<string, unknown>> | undefined;
}

/** A job that goes on while it is watched. */
export interface Watched {
  look(after: number, limit: number): Promise<Look>;
}

/** What happens to a job from now on: pages as they end, progress as it changes, and its end. */
export async function* watch(watched: Watched, lastEventId: string, gone: AbortSignal): AsyncGenerator<ServerEvent> {
  const endsAtMs = Date.now() + LONGEST_MS;
  let after = /^\d{1,9}$/.test(lastEventId) ? Number(lastEventId) : 0;
  let told = '';
  while (!gone.aborted && Date.now() < endsAtMs) {
    const { rows, last, state, end } = await watched.look(after, PAGES_AT_ONCE);
    for (const { number, row } of rows) yield { event: 'page', id: String(number), data: row };
    after = Math.max(after, last);
    if (end !== undefined) {
      yield { event: 'done', data: { ...state, ...end } };
      return;
    }
    const text = JSON.stringify(state);
    if (text !== told) yield { event: 'progress', data: state };
    told = text;
    if (rows.length < PAGES_AT_ONCE) await nap(gone);
  }
}

function nap(gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, LOOK_EVERY_MS);
    function end(): void {
      clearTimeout(timer);
      gone.removeEventListener('abort', end);
      resolve();
    }
    gone.addEventListener('abort', end, { once: true });
  });
}
