import type { CrawlEnvelope, JobEnvelope, PageRow } from '../generated/contract.ts';
import { Job, type PageList } from '../job.ts';
import { items } from '../paging.ts';
import { readRows } from '../read-rows.ts';
import type { Body, CallOptions, Query, Result } from '../routes.ts';

/** Flattens lists of rows. */
async function* each(lists: AsyncIterable<PageList>): AsyncGenerator<PageRow, void, undefined> {
  for await (const { data } of lists) yield* data;
}

type BatchQuery = Omit<Query<'GET /scrape/{id}'>, 'cursor'> & {
  readonly cursor?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};
type CrawlQuery = Omit<Query<'GET /crawl/{id}'>, 'cursor'> & {
  readonly cursor?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Rows of a request: enough to make requests rare, few enough for rows with bodies. */
const ROWS = 100;

/** A batch, or a single scrape that continues after its response. */
export class Batch extends Job<JobEnvelope> {
  /** Yields the rows of the batch, with the requested bodies; requests them as they are consumed and waits while the batch runs. */
  pages(query: BatchQuery = {}): AsyncGenerator<PageRow, void, undefined> {
    return each(this.lists(query));
  }

  /** Like `pages`, in lists with a cursor: `lists({cursor})` continues after one in another process. */
  lists({ signal, ...query }: BatchQuery = {}): AsyncGenerator<PageList, void, undefined> {
    return this.rows({ limit: ROWS, ...query }, signal);
  }

  async cancel(options: CallOptions = {}): Promise<JobEnvelope> {
    return await this.core.call('DELETE /scrape/{id}', { path: { id: this.id }, ...options });
  }

  protected async get(query: Query<'GET /scrape/{id}'>, options: CallOptions): Promise<JobEnvelope> {
    return await this.core.call('GET /scrape/{id}', { path: { id: this.id }, query, ...options });
  }

  protected async stream(options: CallOptions): Promise<Response> {
    return await this.core.call('GET /scrape/{id}/events', { path: { id: this.id }, ...options });
  }
}

/** A crawl. */
export class Crawl extends Job<CrawlEnvelope> {
  /** Yields the rows of the crawl, oldest first; requests them as they are consumed and waits while the crawl runs. */
  pages(query: CrawlQuery = {}): AsyncGenerator<PageRow, void, undefined> {
    return each(this.lists(query));
  }

  /**
   * Like `pages`, in lists with a cursor: `lists({cursor})` continues after one in another process. The rows of a crawl that has ended are
   * read from one stream, which is requested again after the last list if it breaks off.
   */
  lists({ signal, limit = ROWS, ...query }: CrawlQuery = {}): AsyncGenerator<PageList, void, undefined> {
    return this.rows({ limit, ...query }, signal, (cursor) =>
      readRows({ core: this.core, id: this.id, query, limit, cursor, signal }),
    );
  }

  /** Returns one page with all its bodies. */
  async page(url: string, options: CallOptions = {}): Promise<Result<'GET /crawl/{id}/page'>> {
    return await this.core.call('GET /crawl/{id}/page', { path: { id: this.id }, query: { url }, ...options });
  }

  /** Yields a set of pages of the link graph. */
  links(kind: NonNullable<Query<'GET /crawl/{id}/links'>['kind']> = 'orphans') {
    return items(this.core, 'GET /crawl/{id}/links', { path: { id: this.id }, query: { kind } });
  }

  async pause(options: CallOptions = {}): Promise<CrawlEnvelope> {
    return await this.core.call('POST /crawl/{id}/pause', { path: { id: this.id }, ...options });
  }

  async resume(options: CallOptions = {}): Promise<CrawlEnvelope> {
    return await this.core.call('POST /crawl/{id}/resume', { path: { id: this.id }, ...options });
  }

  async cancel(options: CallOptions = {}): Promise<CrawlEnvelope> {
    return await this.core.call('DELETE /crawl/{id}', { path: { id: this.id }, ...options });
  }

  /** Turns the crawl into a project, whose first run it becomes. */
  async keep(
    body: Body<'POST /crawl/{id}/keep'> = {},
    options: CallOptions = {},
  ): Promise<Result<'POST /crawl/{id}/keep'>> {
    return await this.core.call('POST /crawl/{id}/keep', { path: { id: this.id }, body, ...options });
  }

  protected async get(query: Query<'GET /crawl/{id}'>, options: CallOptions): Promise<CrawlEnvelope> {
    return await this.core.call('GET /crawl/{id}', { path: { id: this.id }, query, ...options });
  }

  protected async stream(options: CallOptions): Promise<Response> {
    return await this.core.call('GET /crawl/{id}/events', { path: { id: this.id }, ...options });
  }
}
