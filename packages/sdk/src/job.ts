import type { Core } from './core.ts';
import { requireActive, TidemarkError } from './errors.ts';
import { readEvents, type ServerEvent } from './event-stream.ts';
import type { CrawlEnvelope, ErrorBody, JobEnvelope, PageRow } from './generated/contract.ts';
import { checkAdvance } from './paging.ts';
import { pause } from './pause.ts';
import type { CallOptions } from './routes.ts';

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
export const STALL_MS = 45_000;
export const MAX_FAILURES = 5;
export const MAX_PAUSE_MS = 10_000;

export const isOver = ({ status }: Pick<JobEnvelope, 'status'>): boolean => status !== 'queued' && status !== 'running';

/** Yields the lists of rows after a cursor of a job that has ended. @returns whether these were all; false: the server has no such way */
type ReadRest = (cursor: string) => AsyncGenerator<PageList, boolean, undefined>;

/** Errors after which another request can succeed. */
export const isTransient = (error: unknown): boolean =>
  error instanceof TidemarkError &&
  (error.status === 429 || error.status >= 500 || ['network', 'timeout'].includes(error.code));

export const backoff = (ms: number, tries: number, max: number): number => Math.min(max, ms * 1.5 ** tries);

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
    await this.#watch(onProgress, signal);
    let failures = 0;
    for (let tries = 0; ; tries += 1) {
      try {
        const envelope = await this.read({ signal });
        if (isOver(envelope)) return envelope;
        onProgress?.(envelope);
        failures = 0;
      } catch (error) {
        failures += 1;
        requireRetry(error, failures - 1, signal);
      }
      await pause(backoff(500, tries, pollMs), signal);
    }
  }

  /** Reads the event stream to its end, if it is available. */
  async #watch(onProgress: WaitOptions['onProgress'], signal: AbortSignal | undefined): Promise<void> {
    try {
      for await (const event of this.events({ signal })) if (event.event === 'progress') onProgress?.(event.data);
    } catch (error) {
      requireActive(signal);
      if (!isTransient(error) && !(error instanceof TidemarkError && error.code === 'unexpected')) throw error;
    }
  }

  /** Yields the events of the job until it ends. Reconnects after the last one that was read. */
  async *events({ signal, after }: EventOptions = {}): AsyncGenerator<JobEvent, void, undefined> {
    let last = after;
    for (let failures = 0; ; ) {
      const before = last;
      try {
        for await (const event of this.#connection(last, signal)) {
          last = event.event === 'page' ? event.id : last;
          yield event;
          if (event.event === 'done') return;
        }
      } catch (error) {
        requireRetry(error, failures, signal);
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
        const event = toJobEvent(one);
        if (event !== undefined) yield event;
      }
    } catch (error) {
      requireActive(signal);
      throw error instanceof TidemarkError ? error : networkError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Reads the list of rows after a cursor. @returns the cursor after it, too */
  async #listAfter(cursor: string, query: Readonly<Record<string, unknown>>, signal: AbortSignal | undefined) {
    const envelope = await this.get({ ...query, ...(cursor === '' ? {} : { cursor }) }, { signal });
    if (envelope.next !== null) checkAdvance(cursor, envelope.cursor, envelope.data.length);
    return { envelope, cursor: envelope.cursor ?? cursor };
  }

  /** Yields lists of rows with the cursor after each, and waits for further rows while the job runs. `rest` reads those of a job that has ended. */
  protected async *rows(
    { cursor = '', ...query }: { readonly cursor?: string | undefined; readonly [name: string]: unknown },
    signal: AbortSignal | undefined,
    rest?: ReadRest,
  ): AsyncGenerator<PageList, void, undefined> {
    let last = cursor;
    let others = rest;
    for (let idle = 0; ; ) {
      const { envelope, cursor: reached } = await this.#listAfter(last, query, signal);
      const { data, next } = envelope;
      last = reached;
      idle = data.length === 0 ? idle + 1 : 0;
      if (data.length > 0) yield { data, cursor: last };
      if (next === null) return;
      if (others !== undefined && data.length > 0 && isOver(envelope)) {
        if (yield* others(last)) return;
        others = undefined;
      }
      if (idle > 0) await pause(backoff(500, idle, POLL_MS), signal);
    }
  }
}

/** Throws the error unless the request is to be repeated. `failures`: before it, one after another. */
function requireRetry(error: unknown, failures: number, signal: AbortSignal | undefined): void {
  if (signal?.aborted || !isTransient(error) || failures >= MAX_FAILURES) throw error;
}

export const networkError = (cause: unknown, what = 'the event stream'): TidemarkError =>
  new TidemarkError({ code: 'network', message: `${what} ended unexpectedly: ${cause}`, cause });

/** @returns undefined for an event of a later version @throws TidemarkError if the server ended the stream */
function toJobEvent({ event, id = '', data: text }: ServerEvent): JobEvent | undefined {
  const data = JSON.parse(text);
  if (event === 'closed') throw closedError(data);
  if (event === 'page') return { event, id, data };
  return event === 'progress' || event === 'done' ? { event, data } : undefined;
}

/** The server ended the stream before the end of the job. */
function closedError({ code, error }: Pick<ErrorBody, 'code' | 'error'>): TidemarkError {
  return new TidemarkError({ code, message: error, status: code === 'unavailable' || code === 'internal' ? 503 : 401 });
}
