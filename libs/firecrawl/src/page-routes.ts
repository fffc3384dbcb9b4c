import { setTimeout as sleep } from 'node:timers/promises';
import { JobEnvelope, MapEnvelope, type MapRow } from '@tidemark/api';
import type { ContinuedJobs } from './continued-jobs.ts';
import { toScraped } from './document.ts';
import { type FirecrawlCall, type FirecrawlResponse, type FirecrawlRoute, ok } from './firecrawl-call.ts';
import { toUuid } from './job-id.ts';
import { mapNames, toMapBody } from './job-requests.ts';
import { isOver } from './job-responses.ts';
import { withConnection } from './model-connection.ts';
import { Refusal } from './refusal.ts';
import { scrapeFields, scrapeNames } from './scrape-options.ts';
import { translate } from './translate.ts';

const POLL_MS = 500;
/** Seconds that a scrape waits by default. */
const DEFAULT_WAIT = { v1: 30, v2: 60 } as const;
/** Pages of one map that are read: the largest map has 50 of 1,000 rows. */
const MAX_MAP_PAGES = 50;

const RUNNING = { state: 'processing_continues', retryAfterSeconds: 5 } as const;

const timedOut = (what: string): Refusal =>
  new Refusal(408, 'SCRAPE_TIMEOUT', {
    message: `the ${what} takes longer than the timeout; it continues, and the same request returns its result`,
    details: RUNNING,
  });

/** Waits for a job that an earlier request has started. */
async function waitFor<T extends Pick<JobEnvelope, 'status'>>(
  { isGone }: FirecrawlCall,
  waitMs: number,
  read: () => Promise<T>,
): Promise<T> {
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const job = await read();
    if (isOver(job) || isGone() || performance.now() >= untilMs) return job;
    await sleep(POLL_MS);
  }
}

async function scrape(request: FirecrawlCall, continued: ContinuedJobs): Promise<FirecrawlResponse> {
  const { version, body, fingerprint, idempotencyKey } = request;
  const translated = translate(body, scrapeFields(version));
  const timeout = Number(translated.request['timeout'] ?? DEFAULT_WAIT[version]);
  const running = await continued.find(fingerprint);
  const start = async () => {
    const sent = await withConnection(request, { ...translated.request, timeout, config: translated.config });
    return JobEnvelope.parse((await request.call('startScrape', { body: sent, idempotencyKey })).body);
  };
  const read = async () => JobEnvelope.parse((await request.call('getScrape', { params: { id: running } })).body);
  const job = running === undefined ? await start() : await waitFor(request, timeout * 1_000, read);
  if (!isOver(job)) {
    await continued.keep(fingerprint, job.id);
    throw timedOut('scrape');
  }
  await continued.remove(fingerprint);
  const [row] = job.data;
  if (row === undefined)
    throw new Refusal(500, 'SCRAPE_ALL_ENGINES_FAILED', { message: job.error ?? `the scrape ended as ${job.status}` });
  return ok({ success: true, data: toScraped(row) });
}

async function map(request: FirecrawlCall, continued: ContinuedJobs): Promise<FirecrawlResponse> {
  const { version, fingerprint, call, idempotencyKey } = request;
  const body = toMapBody(request.body, version);
  const running = await continued.find(fingerprint);
  const start = async () => MapEnvelope.parse((await call('startMap', { body, idempotencyKey })).body);
  const read = async () => MapEnvelope.parse((await call('getMap', { params: { id: running } })).body);
  const waitMs = Number(body['timeout']) * 1_000;
  let envelope = running === undefined ? await start() : await waitFor(request, waitMs, read);
  if (!isOver(envelope)) {
    await continued.keep(fingerprint, envelope.id);
    throw timedOut('map');
  }
  await continued.remove(fingerprint);
  const { id } = envelope;
  if (envelope.status !== 'done')
    throw new Refusal(500, 'MAP_FAILED', { message: envelope.error ?? `the map ended as ${envelope.status}` });
  const rows: MapRow[] = [...envelope.data];
  for (let page = 1; envelope.cursor !== null && page < MAX_MAP_PAGES; page += 1) {
    const query = { cursor: envelope.cursor, limit: '1000' };
    envelope = MapEnvelope.parse((await call('getMap', { params: { id }, query })).body);
    rows.push(...envelope.data);
  }
  return ok({ success: true, id: toUuid(id), links: rows.map(({ url }) => (version === 'v1' ? url : { url })) });
}

/** Routes that answer in the same response. */
export function pageRoutes(continued: ContinuedJobs): FirecrawlRoute[] {
  return [
    { method: 'post', path: '/scrape', names: scrapeNames, respond: (call) => scrape(call, continued) },
    { method: 'post', path: '/map', names: mapNames, respond: (call) => map(call, continued) },
  ];
}
