import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../../test/harness/api.ts';
import type { WebhookReceiver } from '../../test/harness/webhook-receiver.ts';
import { PAGES, SECTIONS, type SoakSite } from './site.ts';
import type { Tally } from './tally.ts';

const POLL_MS = 500;
const END_WITHIN_MS = 120_000;

export interface LoadServers {
  readonly api: Api;
  readonly site: SoakSite;
  readonly receiver: WebhookReceiver;
  readonly tally: Tally;
}

/** One kind of work that is done again and again. */
interface Actor {
  readonly name: string;
  /** Time from the end of one round to the start of the next. */
  readonly everyMs: number;
  readonly round: (n: number, signal: AbortSignal) => Promise<void>;
}

const fieldOf = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? Object.entries(body).find(([key]) => key === name)?.[1] : undefined;
const idOf = (body: unknown): string => String(fieldOf(body, 'id') ?? '');

/** Polls until a status is an end. A job that was not started (`id` is empty) has already been counted. */
async function ended({ api, tally }: LoadServers, kind: string, path: string): Promise<void> {
  if (/\/(\?|$)/.test(path)) return;
  const untilMs = performance.now() + END_WITHIN_MS;
  while (performance.now() < untilMs) {
    const { body } = tally.expect(`${kind}: polls`, await api.get(path), 200);
    const status = String(fieldOf(body, 'status'));
    if (status === 'error') tally.fail(kind, `${path} ended with ${String(fieldOf(body, 'error'))}`);
    if (['done', 'error', 'cancelled'].includes(status)) return;
    await sleep(POLL_MS);
  }
  tally.fail(kind, `${path} has not ended in ${END_WITHIN_MS / 1_000} s`);
}

function scrapes({ api, site, tally }: LoadServers): Actor[] {
  return [
    {
      name: 'scrapes',
      everyMs: 150,
      round: async (n) => {
        const { body } = tally.expect(
          'scrapes',
          await api.post('/scrape', { url: site.page(n), formats: 'markdown,links' }),
          200,
        );
        if (n % 5 === 0) tally.expect('scrapes read again', await api.get(`/scrape/${idOf(body)}`), 200);
      },
    },
    {
      name: 'scrapes in the browser',
      everyMs: 3_000,
      round: async (n) => {
        const order = {
          url: `${site.origin}/shell`,
          config: { render_js: 'always', screenshot: n % 4 === 0 ? 'viewport' : 'none' },
        };
        tally.expect('scrapes in the browser', await api.post('/scrape', order), 200);
      },
    },
    {
      name: 'requests that are refused',
      everyMs: 1_000,
      round: async (n) => {
        tally.expect('expected errors', await api.post('/scrape', { url: 'http://127.0.0.1/' }), 422);
        tally.expect('expected errors', await api.get(`/scrape/nothing-${n}`), 404);
        tally.expect('expected errors', await api.post('/scrape', { url: `${site.origin}/gone/${n}` }), 200);
      },
    },
  ];
}

function jobs(servers: LoadServers): Actor[] {
  const { api, site, receiver, tally } = servers;
  return [
    {
      name: 'batches',
      everyMs: 8_000,
      round: async (n) => {
        const urls = Array.from({ length: 20 }, (_, at) => site.page(n * 20 + at));
        const order = { urls, webhook_url: `${receiver.origin}/batch` };
        const { body } = tally.expect('batches', await api.post('/scrape', order), 202);
        await ended(servers, 'batches', `/scrape/${idOf(body)}?limit=1`);
      },
    },
    {
      name: 'crawls',
      everyMs: 8_000,
      round: async (n, signal) => {
        const order = {
          url: `${site.origin}/site/${n % SECTIONS}/`,
          limit: PAGES,
          webhook: { url: `${receiver.origin}/crawl` },
        };
        const { body } = tally.expect('crawls', await api.post('/crawl', order), 202);
        const id = idOf(body);
        if (id === '') return;
        const streamed = stream(servers, `/crawl/${id}/events`, signal);
        await ended(servers, 'crawls', `/crawl/${id}?formats=none&limit=1`);
        await streamed;
        tally.expect('pages of crawls', await api.get(`/crawl/${id}?limit=25`), 200);
      },
    },
    {
      name: 'maps',
      everyMs: 5_000,
      round: async () => void tally.expect('maps', await api.post('/map', { url: `${site.origin}/` }), 200, 202),
    },
  ];
}

/** Reads a stream to its end, or until the load pauses. */
async function stream({ api, tally }: LoadServers, path: string, signal: AbortSignal): Promise<void> {
  try {
    const { status } = await api.request('GET', path, { signal });
    tally.count('streams');
    if (status !== 200) tally.fail('streams', `${status}`);
  } catch (error) {
    if (!signal.aborted) tally.fail('streams', String(error));
  }
}

/** Creates one project for each section of the site, and runs them by turns. */
async function projects(servers: LoadServers): Promise<Actor[]> {
  const { api, site, receiver, tally } = servers;
  const ids: string[] = [];
  for (let section = 0; section < SECTIONS; section += 1) {
    const config = {
      include_paths: [`/site/${section}/*`],
      max_pages: PAGES,
      webhook_url: `${receiver.origin}/project`,
      webhook_events: ['run.finished', 'page.changed'],
    };
    const made = await api.post('/projects', {
      seed: `${site.origin}/site/${section}/`,
      name: `Section ${section}`,
      config,
    });
    ids.push(idOf(tally.expect('projects', made, 201).body));
  }
  const project = (n: number): string => `/projects/${ids[n % ids.length]}`;
  return [
    {
      name: 'project runs',
      everyMs: 4_000,
      round: async (n) => {
        site.change();
        const { body } = tally.expect('project runs', await api.post(`${project(n)}/runs`, {}), 202);
        await ended(servers, 'project runs', `${project(n)}/runs/${idOf(body)}`);
        await recorded(servers, `${project(n)}/changes?run_id=${idOf(body)}`);
      },
    },
    {
      name: 'lists',
      everyMs: 500,
      round: async (n) => {
        for (const path of [
          '/scrape',
          '/projects',
          '/webhooks/deliveries',
          '/me/usage',
          '/me',
          `${project(n)}/pages?limit=50`,
          `${project(n)}/runs`,
        ])
          tally.expect('lists', await api.get(path), 200);
        tally.expect('searches', await api.post(`${project(n)}/pages/search`, { q: 'gauge tide' }), 200);
      },
    },
  ];
}

/** Waits for the record of a run. */
async function recorded({ api, tally }: LoadServers, path: string): Promise<void> {
  const untilMs = performance.now() + END_WITHIN_MS;
  while (performance.now() < untilMs) {
    const { body } = tally.expect('records: polls', await api.get(path), 200);
    const status = String(fieldOf(body, 'status'));
    if (status === 'failed') return tally.fail('records', `${path} failed`);
    if (status === 'made') return tally.count('records');
    await sleep(POLL_MS);
  }
  tally.fail('records', `${path} has no record after ${END_WITHIN_MS / 1_000} s`);
}

/** A load of all kinds that runs for some time, rests, and runs on. */
export interface Load {
  /** Runs for a time, then ends every round that was started. */
  run(forMs: number): Promise<void>;
}

export async function makeLoad(servers: LoadServers): Promise<Load> {
  const actors = [...scrapes(servers), ...jobs(servers), ...(await projects(servers))];
  const rounds = new Map(actors.map(({ name }) => [name, 0]));
  return {
    async run(forMs) {
      const stop = AbortSignal.timeout(forMs);
      const perform = async ({ name, everyMs, round }: Actor): Promise<void> => {
        while (!stop.aborted) {
          const n = rounds.get(name) ?? 0;
          rounds.set(name, n + 1);
          await round(n, stop).catch((error: unknown) => servers.tally.fail(name, String(error)));
          await sleep(everyMs, undefined, { signal: stop }).catch(() => undefined);
        }
      };
      await Promise.all(actors.map(perform));
    },
  };
}
