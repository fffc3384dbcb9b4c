import { FetchFailed } from '@tidemark/egress';
import { parseWebUrl } from '@tidemark/web-url';
import { readDocument } from '../reading/read-document.ts';
import type { HostTurns } from '../web/host-turns.ts';
import type { Open, OpenFile } from '../web/open-file.ts';
import { FeedSink } from './feed-sink.ts';

export const MAX_FEEDS = 50;
export const MAX_FEED_ENTRIES = 5_000;
const MAX_FEED_BYTES = 10 * 1024 * 1024;
const FEED_MS = 15_000;
const ALL_MS = 40_000;
/** Feeds of any hosts read at once for one question. */
const AT_ONCE = 8;
/** Characters of entries in one answer: what is beyond is left out, and said. */
const ANSWER_CHARS = 16 * 1024 * 1024;
const MAX_HOLD_SECONDS = 30;

export interface ReadFeedsDeps {
  readonly open: Open;
  readonly turns: HostTurns;
  readonly feedMs?: number;
  readonly allMs?: number;
}

/** What a feed gave. Something may have been read of one that has an error. */
export interface FeedRead {
  readonly url: string;
  /** 0: no answer. */
  readonly httpStatus: number;
  readonly entries: string[];
  /** In words; empty: nothing is wrong. */
  readonly error: string;
}

/** Reads feeds of any form now, in the order they were asked for. One that fails is data. @throws what is wrong on our side */
export async function readFeeds(deps: ReadFeedsDeps, urls: readonly string[], limit: number): Promise<FeedRead[]> {
  const over = AbortSignal.timeout(deps.allMs ?? ALL_MS);
  const reads = new Map<number, FeedRead>();
  const waiting = urls.entries();
  let roomChars = ANSWER_CHARS;
  const readOnes = async (): Promise<void> => {
    for (const [at, url] of waiting) {
      const read = await readFeed(deps, url, { limit, over });
      const kept = fitting(read, roomChars);
      roomChars -= charsOf(kept.entries);
      reads.set(at, kept);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, urls.length) }, readOnes));
  return urls.map((url, at) => reads.get(at) ?? failed(url, 'not read'));
}

interface Bounds {
  readonly limit: number;
  /** The time for all feeds. */
  readonly over: AbortSignal;
}

async function readFeed(deps: ReadFeedsDeps, url: string, { limit, over }: Bounds): Promise<FeedRead> {
  const parsed = parseWebUrl(url);
  if (!parsed.ok) return failed(url, parsed.reason);
  const { host } = parsed.url;
  let signal = over;
  try {
    const turn = await deps.turns.take(host, 0, over);
    try {
      const timeoutMs = deps.feedMs ?? FEED_MS;
      signal = AbortSignal.any([over, AbortSignal.timeout(timeoutMs)]);
      const opened = await deps.open(parsed.url.href, { signal, timeoutMs });
      hold(deps.turns, host, opened);
      return await readOpened(url, opened, limit, signal);
    } finally {
      turn.done();
    }
  } catch (error) {
    if (signal.aborted)
      return failed(url, over.aborted ? 'not read: the time for all feeds was over' : 'it took too long');
    if (error instanceof FetchFailed) return failed(url, error.message);
    throw error;
  }
}

async function readOpened(url: string, opened: OpenFile, limit: number, signal: AbortSignal): Promise<FeedRead> {
  const { status, body, landedUrl } = opened;
  if (status < 200 || status >= 300) {
    body.destroy();
    return failed(url, `answers ${status}`, status);
  }
  const sink = new FeedSink(landedUrl, limit);
  // A body that stays silent is never looked at by its reader.
  const stop = () => body.destroy(new Error('it took too long'));
  signal.addEventListener('abort', stop, { once: true });
  const { kind, error, bytes } = await readDocument(body, sink, MAX_FEED_BYTES).finally(() =>
    signal.removeEventListener('abort', stop),
  );
  const { entries } = sink;
  if (kind === 'page') return failed(url, 'a page is answered in its place: a soft 404 or a wall', status);
  if (kind === 'index' || sink.children > 0) return failed(url, 'an index of sitemaps, not a feed', status);
  if (kind === 'unknown')
    return failed(url, error ?? (bytes === 0 ? 'it is empty' : 'no feed of a known form'), status);
  if (signal.aborted) return { url, httpStatus: status, entries, error: 'it took too long: what was read is kept' };
  return { url, httpStatus: status, entries, error: error ?? '' };
}

/** Whoever asks to be left alone is, by maps and by the next who ask for its feeds. */
function hold(turns: HostTurns, host: string, { status, retryAfterSeconds }: OpenFile): void {
  if (status !== 429 && status !== 503) return;
  turns.hold(host, Math.min(retryAfterSeconds ?? 1, MAX_HOLD_SECONDS) * 1_000);
}

const failed = (url: string, error: string, httpStatus = 0): FeedRead => ({ url, httpStatus, entries: [], error });

const charsOf = (entries: readonly string[]): number => entries.reduce((sum, { length }) => sum + length, 0);

function fitting(read: FeedRead, roomChars: number): FeedRead {
  if (charsOf(read.entries) <= roomChars) return read;
  let left = roomChars;
  const entries = read.entries.filter(({ length }) => {
    left -= length;
    return left >= 0;
  });
  return { ...read, entries, error: read.error || 'cut: the feeds together are larger than one answer' };
}
