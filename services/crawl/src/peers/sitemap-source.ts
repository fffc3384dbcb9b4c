import { setTimeout as sleep } from 'node:timers/promises';
import { onOwnBehalf, type StopReason } from '@tidemark/contracts';
import { type MapJob, MapServiceService as Rpc } from '@tidemark/contracts/map/v1/map';
import type { CallContext, Peer } from '@tidemark/service';

/** A URL in a site's sitemap. */
export interface SitemapEntry {
  readonly url: string;
  /** As written in the sitemap. */
  readonly lastmod?: string;
  /** The file that contains it. */
  readonly file: string;
}

/** Identifies the sitemap to read. */
export interface SitemapOrder {
  readonly runId: string;
  readonly workspaceId: string;
  readonly seed: string;
  readonly allowSubdomains: boolean;
  /** A URL is returned for each file that contains it, not only for the first. */
  readonly perFile: boolean;
}

/** Reads the sitemap of a seed's site, in document order. */
export interface SitemapSource {
  /** Calls `onEnd` with the reason why the tree was read in part; empty: it was read completely. */
  entries(order: SitemapOrder, onEnd: (why: string) => void): AsyncIterable<SitemapEntry>;
}

const MAX_ENTRIES = 50_000;
const BATCH_ROWS = 1_000;
const WAIT_MS = 5_000;
const POLL_EVERY_MS = 500;
/** Timeout. The crawl then proceeds without a sitemap. */
const TIMEOUT_MS = 5 * 60_000;

const STOPS: Partial<Readonly<Record<StopReason, string>>> = {
  page_limit: 'it has more files than are read',
  time_limit: 'it takes too long to read',
  credit_limit: 'the credits ran out',
};

/** Reads the sitemap through the map service. The run id is the idempotency key: after a reassignment the same map job continues. */
export function mapSitemapSource(map: Peer): SitemapSource {
  return {
    async *entries({ runId, workspaceId, seed, allowSubdomains, perFile }, onEnd) {
      const caller: CallContext = { requestId: '', caller: onOwnBehalf('crawl', workspaceId) };
      const request = {
        url: seed,
        options: {
          limit: MAX_ENTRIES,
          sitemapMode: 'only' as const,
          allowSubdomains,
          forCrawl: true,
          perFile,
        },
        waitMs: WAIT_MS,
        idempotencyKey: runId,
        requestHash: runId,
      };
      const { job } = await map.call(Rpc.map, request, caller, { deadlineMs: WAIT_MS * 2 });
      const { rows, why } = await waitForMap(map, job, caller);
      onEnd(why);
      for (let after = 0; after < rows; ) {
        const page = await map.call(Rpc.listMapRows, { id: job?.id ?? '', after, limit: BATCH_ROWS }, caller);
        if (page.rows.length === 0) return;
        after += page.rows.length;
        for (const { url, lastmod, source, file } of page.rows) if (source !== 'link') yield { url, lastmod, file };
      }
    },
  };
}

interface MapResult {
  readonly rows: number;
  /** Why it was read in part; empty: it was read completely. */
  readonly why: string;
}

function whyStopped(job: MapJob): string {
  const stop = job.stop;
  return stop === undefined ? '' : (STOPS[stop] ?? stop);
}

/** Waits for a map to end. */
async function waitForMap(map: Peer, first: MapJob | undefined, caller: CallContext): Promise<MapResult> {
  const timeoutAt = performance.now() + TIMEOUT_MS;
  for (let job = first; job !== undefined; ) {
    if (job.status !== 'queued' && job.status !== 'running')
      return { rows: job.rows, why: job.error ?? whyStopped(job) };
    if (performance.now() > timeoutAt) return { rows: 0, why: 'it takes too long to read' };
    await sleep(POLL_EVERY_MS);
    ({ job } = await map.call(Rpc.getMap, { id: job.id, withFiles: false }, caller));
  }
  return { rows: 0, why: 'it could not be read' };
}
