import { TidemarkError } from './errors.ts';
import type { CrawlRequest, MapEnvelope, MapRequest, PageRow, ScrapeRequest } from './generated/contract.ts';
import { items } from './paging.ts';
import { pause } from './pause.ts';
import { Batch, Crawl } from './resources/jobs.ts';
import { Projects } from './resources/projects.ts';
import { RouteClient } from './route-client.ts';
import type { CallOptions } from './routes.ts';

type Given<T, Named extends keyof T> = Omit<T, Named> & CallOptions;

/** Takes the options of the call out of the options of an operation. */
function split<T extends CallOptions>(options: T) {
  const { signal, timeoutMs, maxRetries, idempotencyKey, headers, ...body } = options;
  return { body, call: { signal, timeoutMs, maxRetries, idempotencyKey, headers } };
}

const MAP_POLL_MS = 1_000;
const MAP_ROWS = 1_000;

/** A client of the API with one key. */
export class Tidemark extends RouteClient {
  readonly projects: Projects = new Projects(this.core);

  /** Captures one page. @throws TidemarkError if the job ends without a page; a refused page is a row with its verdict */
  async scrape(url: string, options: Given<ScrapeRequest, 'url' | 'urls'> = {}): Promise<PageRow> {
    const { body, call } = split(options);
    const started = await this.core.call('POST /scrape', { body: { ...body, url }, ...call });
    const isOver = started.status !== 'queued' && started.status !== 'running';
    const { signal } = call;
    const ended = isOver ? started : await new Batch(this.core, started.id).wait({ signal });
    const [row] = ended.data;
    if (row !== undefined) return row;
    const message = ended.error ?? `the job ${ended.id} ended with status ${ended.status} and no page`;
    throw new TidemarkError({ code: 'unexpected', message, requestId: ended.request_id });
  }

  readonly batch = {
    /** Starts a batch of at most 500 URLs. */
    start: async (urls: readonly string[], options: Given<ScrapeRequest, 'url' | 'urls'> = {}): Promise<Batch> => {
      const { body, call } = split(options);
      const started = await this.core.call('POST /scrape', { body: { ...body, urls: [...urls] }, ...call });
      return new Batch(this.core, started.id, started);
    },
    of: (id: string): Batch => new Batch(this.core, id),
  };

  readonly crawl = {
    start: async (url: string, options: Given<CrawlRequest, 'url'> = {}): Promise<Crawl> => {
      const { body, call } = split(options);
      const started = await this.core.call('POST /crawl', { body: { ...body, url }, ...call });
      return new Crawl(this.core, started.id, started);
    },
    of: (id: string): Crawl => new Crawl(this.core, id),
  };

  /** Returns the URLs that a site declares: all rows up to `limit`, whatever the time the map takes. */
  async map(url: string, options: Given<MapRequest, 'url'> = {}): Promise<MapEnvelope> {
    const { body, call } = split(options);
    const { signal } = call;
    let map = await this.core.call('POST /map', { body: { ...body, url }, ...call });
    const path = { id: map.id };
    const query = { limit: MAP_ROWS };
    while (map.status === 'queued' || map.status === 'running') {
      await pause(MAP_POLL_MS, signal);
      map = await this.core.call('GET /map/{id}', { path, query, signal });
    }
    if (map.cursor === null) return map;
    const data = [];
    for await (const row of items(this.core, 'GET /map/{id}', { path, query, signal })) data.push(row);
    return { ...map, data, next: null, cursor: null };
  }
}
