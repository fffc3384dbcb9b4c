import { FetchFailed } from '@tidemark/egress';
import { parseWebUrl } from '@tidemark/web-url';
import { parseDocument } from '../parsing/parse-document.ts';
import type { Open, OpenedFile } from '../web/open-file.ts';
import { FeedSink } from './feed-sink.ts';

export const MAX_FEEDS = 50;
export const MAX_FEED_ENTRIES = 5_000;
const MAX_FEED_BYTES = 10 * 1024 * 1024;
const FEED_TIMEOUT_MS = 15_000;
const TOTAL_TIMEOUT_MS = 40_000;
/** Feeds of one request that are read concurrently: all of a batch of crawl. */
const CONCURRENCY = 10;
/** Total length of the entries in one response. Further entries are left out and the feed's `error` says so. */
const MAX_RESPONSE_CHARS = 16 * 1024 * 1024;
const TIMED_OUT = 'reading took too long';

export interface ReadFeedsDeps {
  readonly open: Open;
  readonly feedTimeoutMs?: number;
  readonly totalTimeoutMs?: number;
}

/** Result of reading one feed. A feed with an error may have entries. */
export interface FeedRead {
  readonly url: string;
  /** 0: no response. */
  readonly httpStatus: number;
  readonly entries: string[];
  /** Sentence for the user; empty: no error. */
  readonly error: string;
}

/**
 * Reads feeds and returns up to `limit` entries of each, in the order of `urls`. A failed feed has an `error`, also one that was not read within
 * `withinMs` or the time limit of a request.
 */
export type ReadFeeds = (urls: readonly string[], limit: number, withinMs?: number) => Promise<FeedRead[]>;

export const makeReadFeeds =
  (deps: ReadFeedsDeps): ReadFeeds =>
  (urls, limit, withinMs = TOTAL_TIMEOUT_MS) =>
    readFeeds(deps, urls, { limit, totalMs: Math.min(withinMs, deps.totalTimeoutMs ?? TOTAL_TIMEOUT_MS) });

async function readFeeds(
  deps: ReadFeedsDeps,
  urls: readonly string[],
  { limit, totalMs }: { readonly limit: number; readonly totalMs: number },
): Promise<FeedRead[]> {
  const deadline = AbortSignal.timeout(totalMs);
  const reads = new Map<number, FeedRead>();
  const queue = urls.entries();
  let remainingChars = MAX_RESPONSE_CHARS;
  const readNext = async (): Promise<void> => {
    for (const [at, url] of queue) {
      const read = await readFeed(deps, url, { limit, deadline });
      const fitting = truncate(read, remainingChars);
      remainingChars -= charsOf(fitting.entries);
      reads.set(at, fitting);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, urls.length) }, readNext));
  return urls.map((url, at) => reads.get(at) ?? failed(url, 'not read'));
}

interface Limits {
  readonly limit: number;
  /** Deadline of the whole request. */
  readonly deadline: AbortSignal;
}

async function readFeed(deps: ReadFeedsDeps, url: string, { limit, deadline }: Limits): Promise<FeedRead> {
  const parsed = parseWebUrl(url);
  if (!parsed.ok) return failed(url, parsed.reason);
  try {
    const timeoutMs = deps.feedTimeoutMs ?? FEED_TIMEOUT_MS;
    const opened = await deps.open(parsed.url.href, { signal: deadline, timeoutMs });
    return await readOpened(url, opened, limit);
  } catch (error) {
    if (deadline.aborted) return failed(url, 'not read: the request reached its time limit');
    if (error instanceof FetchFailed) return failed(url, error.message);
    throw error;
  }
}

async function readOpened(url: string, opened: OpenedFile, limit: number): Promise<FeedRead> {
  const { status, body, landedUrl, signal } = opened;
  if (status < 200 || status >= 300) {
    body.destroy();
    return failed(url, `answers ${status}`, status);
  }
  const sink = new FeedSink(landedUrl, limit);
  // The parser waits for data, so the timeout has to destroy a body that sends none.
  const stop = () => body.destroy(new Error(TIMED_OUT));
  signal.addEventListener('abort', stop, { once: true });
  const { kind, error, bytes } = await parseDocument(body, sink, MAX_FEED_BYTES).finally(() =>
    signal.removeEventListener('abort', stop),
  );
  const { entries } = sink;
  if (kind === 'page') return failed(url, 'the site answers with an HTML page: a soft 404 or an access check', status);
  if (kind === 'index' || sink.children > 0) return failed(url, 'the file is a sitemap index, not a feed', status);
  if (kind === 'unknown')
    return failed(url, error ?? (bytes === 0 ? 'the file is empty' : 'the format is unknown'), status);
  if (signal.aborted)
    return { url, httpStatus: status, entries, error: `${TIMED_OUT}; the entries read so far are kept` };
  return { url, httpStatus: status, entries, error: error ?? '' };
}

const failed = (url: string, error: string, httpStatus = 0): FeedRead => ({ url, httpStatus, entries: [], error });

const charsOf = (entries: readonly string[]): number => entries.reduce((sum, { length }) => sum + length, 0);

function truncate(read: FeedRead, remainingChars: number): FeedRead {
  if (charsOf(read.entries) <= remainingChars) return read;
  let free = remainingChars;
  const entries = read.entries.filter(({ length }) => {
    free -= length;
    return free >= 0;
  });
  return { ...read, entries, error: read.error || 'truncated: the feeds exceed the size of one response' };
}
