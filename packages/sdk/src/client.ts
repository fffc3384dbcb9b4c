import { type ClientOptions, Core } from './core.ts';
import { TidemarkError } from './errors.ts';
import type { CrawlRequest, MapEnvelope, MapRequest, PageRow, ScrapeRequest } from './generated/contract.ts';
import { type Item, items, type ListRoute } from './paging.ts';
import { pause } from './pause.ts';
import { Batch, Crawl } from './resources/jobs.ts';
import { Projects } from './resources/projects.ts';
import type { CallOptions, Init, InitArgument, Result, Route } from './routes.ts';

type Given<T, Named extends keyof T> = Omit<T, Named> & CallOptions;

/** Takes the options of the call out of the options of an operation. */
function split<T extends CallOptions>(options: T) {
  const { signal, timeoutMs, maxRetries, idempotencyKey, headers, ...body } = options;
  return { body, call: { signal, timeoutMs, maxRetries, idempotencyKey, headers } };
}

const MAP_POLL_MS = 1_000;
const MAP_ROWS = 1_000;

/** A client of the API with one key. */
export class Tidemark {
  readonly projects: Projects;
  readonly #core: Core;

  constructor(options: ClientOptions | string = {}) {
    this.#core = new Core(typeof options === 'string' ? { apiKey: options } : options);
    this.projects = new Projects(this.#core);
  }

  /** Captures one page. @throws TidemarkError if the job ends without a page; a refused page is a row with its verdict */
  async scrape(url: string, options: Given<ScrapeRequest, 'url' | 'urls'> = {}): Promise<PageRow> {
    const { body, call } = split(options);
    const started = await this.#core.call('POST /scrape', { body: { ...body, url }, ...call });
    const isOver = started.status !== 'queued' && started.status !== 'running';
    const { signal } = call;
    const ended = isOver ? started : await new Batch(this.#core, started.id).wait({ signal });
    const [row] = ended.data;
    if (row !== undefined) return row;
    const message = ended.error ?? `the job ${ended.id} ended with status ${ended.status} and no page`;
    throw new TidemarkError({ code: 'unexpected', message, requestId: ended.request_id });
  }

  readonly batch = {
    /** Starts a batch of at most 500 URLs. */
    start: async (urls: readonly string[], options: Given<ScrapeRequest, 'url' | 'urls'> = {}): Promise<Batch> => {
      const { body, call } = split(options);
      const started = await this.#core.call('POST /scrape', { body: { ...body, urls: [...urls] }, ...call });
      return new Batch(this.#core, started.id, started);
    },
    of: (id: string): Batch => new Batch(this.#core, id),
  };

  readonly crawl = {
    start: async (url: string, options: Given<CrawlRequest, 'url'> = {}): Promise<Crawl> => {
      const { body, call } = split(options);
      const started = await this.#core.call('POST /crawl', { body: { ...body, url }, ...call });
      return new Crawl(this.#core, started.id, started);
    },
    of: (id: string): Crawl => new Crawl(this.#core, id),
  };

  /** Returns the URLs that a site declares: all rows up to `limit`, whatever the time the map takes. */
  async map(url: string, options: Given<MapRequest, 'url'> = {}): Promise<MapEnvelope> {
    const { body, call } = split(options);
    const { signal } = call;
    let map = await this.#core.call('POST /map', { body: { ...body, url }, ...call });
    const path = { id: map.id };
    const query = { limit: MAP_ROWS };
    while (map.status === 'queued' || map.status === 'running') {
      await pause(MAP_POLL_MS, signal);
      map = await this.#core.call('GET /map/{id}', { path, query, signal });
    }
    if (map.cursor === null) return map;
    const data = [];
    for await (const row of items(this.#core, 'GET /map/{id}', { path, query, signal })) data.push(row);
    return { ...map, data, next: null, cursor: null };
  }

  /** Calls any route of the contract, such as `GET /projects/{id}`. */
  call<R extends Route>(route: R, ...init: InitArgument<R>): Promise<Result<R>> {
    return this.#core.call(route, ...init);
  }

  /** Calls a route like `call`, with the request as one required value: for code that is generic over routes. */
  send<R extends Route>(route: R, init: Init<R>): Promise<Result<R>> {
    return this.#core.send(route, init);
  }

  /** Returns one page of a list: the first, or the one that a cursor leads to. */
  page<R extends ListRoute>(route: R, init: Init<R>, cursor = ''): Promise<Result<R>> {
    const query = { ...init.query, ...(cursor === '' ? {} : { cursor }) };
    return this.#core.send(route, { ...init, query });
  }

  /** Yields the items of any list of the contract and requests its pages as they are consumed. */
  list<R extends ListRoute>(route: R, ...[init]: InitArgument<R>): AsyncGenerator<Item<R>, void, undefined> {
    return items(this.#core, route, init ?? {});
  }
}
