import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlEnvelope, PageRow } from '@tidemark/api';
import type { Api } from '../../test/harness/api.ts';

const POLL_EVERY_MS = 250;
const PAGE_OF_ROWS = 1_000;

export interface CrawlOrder {
  readonly url: string;
  readonly concurrency: number;
  readonly limit?: number;
}

/** A crawl that has ended. */
export interface EndedCrawl {
  readonly id: string;
  readonly pages: number;
  readonly stop: string | null;
  readonly status: string;
}

/** Starts a crawl as every rival runs it: plain http, links followed, robots obeyed, links, markdown and html kept. */
export async function startCrawl(api: Api, { url, concurrency, limit = 100_000 }: CrawlOrder): Promise<string> {
  const { status, text } = await api.post('/crawl', {
    url,
    limit,
    concurrency,
    useSitemap: false,
    maxTier: 'http',
    scrapeOptions: { formats: ['markdown', 'rawHtml', 'links'] },
  });
  if (status !== 202) throw new Error(`the crawl was rejected: ${status} ${text}`);
  const started: CrawlEnvelope = JSON.parse(text);
  return started.id;
}

async function read(api: Api, id: string, query: string): Promise<CrawlEnvelope> {
  const { status, text } = await api.get(`/crawl/${id}?formats=none&${query}`);
  if (status !== 200) throw new Error(`the crawl can't be read: ${status} ${text}`);
  return JSON.parse(text);
}

export const isEnded = ({ status }: CrawlEnvelope): boolean => status !== 'running' && status !== 'queued';

/** Polls a crawl until a condition holds. The interval is long, because each poll costs CPU that is measured. */
export async function awaitCrawl(
  api: Api,
  id: string,
  holds: (now: CrawlEnvelope) => boolean,
  withinMs: number,
): Promise<CrawlEnvelope> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const now = await read(api, id, 'limit=1');
    if (holds(now)) return now;
    if (performance.now() > deadline)
      throw new Error(`the crawl took longer than ${withinMs / 1_000} s: ${JSON.stringify(now.progress)}`);
    await sleep(POLL_EVERY_MS);
  }
}

/** Crawls a site to its end. */
export async function crawlOnce(api: Api, order: CrawlOrder, withinMs = 1_800_000): Promise<EndedCrawl> {
  const id = await startCrawl(api, order);
  const { progress, stop, status } = await awaitCrawl(api, id, isEnded, withinMs);
  return { id, pages: progress.done, stop, status };
}

/** All rows of a crawl, without bodies. */
export async function rowsOf(api: Api, id: string): Promise<PageRow[]> {
  const rows: PageRow[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: CrawlEnvelope = await read(api, id, `limit=${PAGE_OF_ROWS}&cursor=${cursor}`);
    rows.push(...page.data);
    cursor = page.next === null ? null : page.cursor;
  }
  return rows;
}

/** One page of a crawl in full. */
export async function pageOf(api: Api, id: string, url: string): Promise<PageRow> {
  const { status, text } = await api.get(`/crawl/${id}/page?url=${encodeURIComponent(url)}`);
  if (status !== 200) throw new Error(`no page ${url} in the crawl: ${status} ${text}`);
  return JSON.parse(text);
}
