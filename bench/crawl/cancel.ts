import { setTimeout as sleep } from 'node:timers/promises';
import { startSite } from '../site/start-site.ts';
import { awaitCrawl, isEnded, startCrawl } from './run.ts';
import { type Bench, head } from './settings.ts';

const PAGES = 2_000;
/** Pages captured before the crawl is cancelled. */
const UNDER_WAY = 300;
/** Milliseconds without a request after which the last fetch counts as the last. */
const QUIET_MS = 4_000;
const POLL_EVERY_MS = 200;

/** Measures how long fetches continue after DELETE in the middle of a crawl. */
export async function runCancel({ fleet, board, concurrency }: Bench): Promise<void> {
  head(`cancel: DELETE after ${UNDER_WAY} of ${PAGES} pages`);
  const site = await startSite({ pages: PAGES, prewarm: true });
  try {
    const { admin } = await fleet.workspaces.make();
    const id = await startCrawl(admin, { url: `${site.base}/`, concurrency });
    await awaitCrawl(admin, id, ({ progress }) => progress.done >= UNDER_WAY, 120_000);
    const [cancelledAtMs, { requests: before }] = [Date.now(), await site.stats()];
    const { status, text } = await admin.delete(`/crawl/${id}`);
    if (status !== 200) throw new Error(`the crawl was not cancelled: ${status} ${text}`);
    const answeredMs = Date.now() - cancelledAtMs;
    let { lastAtMs, requests } = await site.stats();
    while (Date.now() < Math.max(lastAtMs, cancelledAtMs) + QUIET_MS) {
      await sleep(POLL_EVERY_MS);
      ({ lastAtMs, requests } = await site.stats());
    }
    const ended = await awaitCrawl(admin, id, isEnded, 30_000);
    console.log(
      `  DELETE answered in ${answeredMs} ms; ${requests - before} requests after it; the crawl is ${ended.status}`,
    );
    board.add('cancel', Math.max(0, lastAtMs - cancelledAtMs) / 1_000);
  } finally {
    site.stop();
  }
}
