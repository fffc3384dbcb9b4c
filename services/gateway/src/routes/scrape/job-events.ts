import type { Job } from '@tidemark/contracts/scrape/v1/scrape';
import type { CallContext } from '@tidemark/service';
import type { ServerEvent } from '../../request-context.ts';
import { toSummary } from './job-envelope.ts';
import type { JobReader } from './job-reader.ts';
import { type PageLinks, toPageRow } from './page-row.ts';

const LOOK_EVERY_MS = 500;
const PAGES_AT_ONCE = 100;
/** A stream ends after this; who wants more comes back with the last event's id. */
const LONGEST_MS = 30 * 60_000;

/** What happens to a job from now on: pages as they end, progress as it changes, and its end. */
export async function* jobEvents(
  reader: JobReader,
  job: Job,
  from: { readonly after: number; readonly links: PageLinks; readonly call: CallContext },
  gone: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const endsAtMs = Date.now() + LONGEST_MS;
  let { after } = from;
  let told = '';
  while (!gone.aborted && Date.now() < endsAtMs) {
    const now = await reader.find(job.id, [job.kind], from.call);
    const { pages, last, isMore } = await reader.pages(now, { after, limit: PAGES_AT_ONCE }, ['head'], from.call);
    for (const [at, page] of (after > 0 && now.kind !== 'batch' ? [] : pages).entries()) {
      yield { event: 'page', id: String(last - pages.length + at + 1), data: toPageRow(page, [], from.links) };
    }
    after = Math.max(after, last);
    const { status, progress, creditsUsed, counts } = toSummary(now);
    const isOver = !isMore && status !== 'queued' && status !== 'running';
    const text = JSON.stringify({ status, progress, creditsUsed, counts });
    if (text !== told && !isOver) yield { event: 'progress', data: { status, progress, creditsUsed, counts } };
    told = text;
    if (isOver) {
      yield { event: 'done', data: { status, progress, creditsUsed, counts, error: now.error ?? null } };
      return;
    }
    if (pages.length < PAGES_AT_ONCE) await nap(gone);
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
