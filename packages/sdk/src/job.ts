import type { Core } from './core.ts';
import { TidemarkError } from './errors.ts';
import { readEvents } from './event-stream.ts';
import type { CrawlEnvelope, ErrorBody, JobEnvelope, PageRow } from './generated/contract.ts';
import { checkAdvance, items } from './paging.ts';
import { pause } from './pause.ts';
import type { Body, CallOptions, Query, Result } from './routes.ts';

export type JobState = Pick<JobEnvelope, 'status' | 'progress' | 'creditsUsed' | 'counts'> &
  Partial<Pick<CrawlEnvelope, 'paused' | 'held'>>;

/** An event of a job. `page` rows have no bodies. */
export type JobEvent =
  | { readonly event: 'progress'; readonly data: JobState }
  | { readonly event: 'page'; readonly id: string; readonly data: PageRow }
  | {
      readonly event: 'done';
      readonly data: JobState & Pick<JobEnvelope, 'error'> & Partial<Pick<JobEnvelope, 'stop'>>;
    };

export interface WaitOptions {
  readonly onProgress?: ((state: JobState) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Longest interval of polling, where the event stream is not available, ms; 5 s by default. */
  readonly pollMs?: number | undefined;
}

interface EventOptions {
  readonly signal?: AbortSignal | undefined;
  /** Id of the last `page` event that was read, to continue after it. */
  readonly after?: string | undefined;
}

/** The rows of one response, and the cursor to continue after them. */
export interface PageList {
  readonly data: readonly PageRow[];
  readonly cursor: string;
}

const POLL_MS = 5_000;
/** The server sends a comment every 15 s; without bytes for this time the connection is considered broken. */
const STALL_MS = 45_000;
const MAX_FAILURES = 5;
const MAX_PAUSE_MS = 10_000;

const isOver = ({ status }: Pick<JobEnvelope, 'status'>): boolean => status !== 'queued' && status !== 'running';

/** Errors after which another request can succeed. */
const isTransient = (error: unknown): boolean =>
  error instanceof TidemarkError &&
  (error.status === 429 || error.status >= 500 || ['network', 'timeout'].includes(error.code));

const backoff = (ms: number, tries: number, max: number): number => Math.min(max, ms * 1.5 ** tries);

/** A job of the server: a batch or a crawl. It continues there when this program ends; `of(id)` continues to read it. */
export abstract class Job<Envelope extends JobEnvelope> {
  readonly id: string;
  /** The response that started the job, with its `webhookSecret`; undefined for a job that was opened by its id. */
  readonly started: Envelope | undefined;
  protected readonly core: Core;

  constructor(core: Core, id: string, started?: Envelope) {
    this.core = core;
    this.id = id;
    this.started = started;
  }

  protected abstract get(query: Readonly<Record<string, unknown>>, options: CallOptions): Promise<Envelope>;
  protected abstract stream(options: CallOptions): Promise<Response>;
  abstract cancel(options?: CallOptions): Promise<Envelope>;

  /** Reads the state of the job, with at most one row. */
  async read(options: CallOptions = {}): Promise<Envelope> {
    return await this.get({ limit: 1 }, options);
  }

  /**
   * Waits for the end of the job and returns its state, whatever its status: `done`, `error` or `cancelled`. Reads the event stream; polls
   * where that is not available.
   */
  async wait({ onProgress, signal, pollMs = POLL_MS }: WaitOptions = {}): Promise<Envelope> {
    try {
      for await (const event of this.events({ signal })) if (event.event === 'progress') onProgress?.(event.data);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTransient(error) && !(error instanceof TidemarkError && error.code === 'unexpected')) throw error;
    }
    let failures = 0;
    for (let tries = 0; ; tries += 1) {
      try {
        const envelope = await this.read({ signal });
        if (isOver(envelope)) return envelope;
        onProgress?.(envelope);
        failures = 0;
      } catch (error) {
        failures += 1;
        if (signal?.aborted || !isTransient(error) || failures > MAX_FAILURES) throw error;
      }
      await pause(backoff(500, tries, pollMs), signal);
    }
  }

  /** Yields the events of the job until it ends. Reconnects after the last one that was read. */
  async *events({ signal, after }: EventOptions = {}): AsyncGenerator<JobEvent, void, undefined> {
    let last = after;
    for (let failures = 0; ; ) {
      const before = last;
      try {
        for await (const event of this.#connection(last, signal)) {
          if (event.event === 'page') last = event.id;
          yield event;
          if (event.event === 'done') return;
        }
      } catch (error) {
        if (signal?.aborted || !isTransient(error) || failures >= MAX_FAILURES) throw error;
      }
      failures = last === before ? failures + 1 : 0;
      await pause(backoff(500, failures, MAX_PAUSE_MS), signal);
    }
  }

  async *#connection(
    last: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<JobEvent, void, undefined> {
    const stall = new AbortController();
    const broken = new TidemarkError({ code: 'network', message: `the event stream sent nothing for ${STALL_MS} ms` });
    const watch = (): ReturnType<typeof setTimeout> => setTimeout(() => stall.abort(broken), STALL_MS);
    let timer = watch();
    try {
      const headers = last === undefined ? {} : { 'last-event-id': last };
      const both = signal === undefined ? stall.signal : AbortSignal.any([signal, stall.signal]);
      const { body } = await this.stream({ headers, signal: both });
      if (!body) throw new TidemarkError({ code: 'unexpected', message: 'the response is no event stream' });
      for await (const one of readEvents(body)) {
        clearTimeout(timer);
        timer = watch();
        if (one === undefined) continue;
        const data = JSON.parse(one.data);
        if (one.event === 'closed') throw closedError(data);
        if (one.event === 'page') yield { event: 'page', id: one.id ?? '', data };
        else if (one.event === 'progress' || one.event === 'done') yield { event: one.event, data };
      }
    } catch (error) {
      throw signal?.aborted || error instanceof TidemarkError ? error : networkError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Yields lists of rows with the cursor after each, and waits for further rows while the job runs. */
  protected async *rows(
    { cursor = '', ...query }: { readonly cursor?: string | undefined; readonly [name: string]: unknown },
    signal: AbortSignal | undefined,
  ): AsyncGenerator<PageList, void, undefined> {
    let last = cursor;
    for (let idle = 0; ; ) {
      const {
        data,
        next,
        cursor: received,
      } = await this.get({ ...query, ...(last === '' ? {} : { cursor: last }) }, { signal });
      if (next !== null) checkAdvance(last, received, data.length);
      last = received ?? last;
      idle = data.length === 0 ? idle + 1 : 0;
      if (data.length > 0) yield { data, cursor: last };
      if (next === null) return;
      if (idle > 0) await pause(backoff(500, idle, POLL_MS), signal);
    }
  }
}

const networkError = (cause: unknown): TidemarkError =>
  new TidemarkError({ code: 'network', message: `the event stream ended unexpectedly: ${cause}`, cause });

/** The server ended the stream before the end of the job. */
function closedError({ code, error }: Pick<ErrorBody, 'code' | 'error'>): TidemarkError {
  return new TidemarkError({ code, message: error, status: code === 'unavailable' || code === 'internal' ? 503 : 401 });
}

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

  /** Like `pages`, in lists with a cursor: `lists({cursor})` continues after one in another process. */
  lists({ signal, ...query }: CrawlQuery = {}): AsyncGenerator<PageList, void, undefined> {
    return this.rows({ limit: ROWS, ...query }, signal);
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
