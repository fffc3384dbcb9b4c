import { useEffect, useEffectEvent, useState } from 'react';

/** Maximum rate at which a stream changes the page, ms. */
const MERGE_MS = 250;
const POLL_MS = 3_000;
const KEPT_PAGES = 50;

export interface LiveProgress {
  readonly done: number;
  readonly total: number;
  readonly queued: number;
}

/** The parts of an event that are used. */
export interface LivePage {
  readonly id: string;
  readonly url: string;
  readonly verdict: string;
  readonly httpStatus: number | null;
  readonly words: number;
}

export interface LiveRun {
  readonly progress: LiveProgress | undefined;
  /** The newest pages, newest first. */
  readonly pages: readonly LivePage[];
  readonly state: 'connecting' | 'open' | 'polling' | 'ended';
}

const START: LiveRun = { progress: undefined, pages: [], state: 'connecting' };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

function pageOf(data: string): LivePage | undefined {
  const row: unknown = JSON.parse(data);
  if (!isRecord(row) || typeof row['url'] !== 'string') return undefined;
  const { url, id, verdict, httpStatus, words } = row;
  const status = typeof httpStatus === 'number' ? httpStatus : null;
  return { id: String(id), url, verdict: String(verdict), httpStatus: status, words: countOf(words) };
}

function progressOf(data: string): LiveProgress | undefined {
  const fields: unknown = JSON.parse(data);
  const progress = isRecord(fields) && isRecord(fields['progress']) ? fields['progress'] : undefined;
  if (progress === undefined) return undefined;
  return { done: countOf(progress['done']), total: countOf(progress['total']), queued: countOf(progress['queued']) };
}

/** Collects events and passes them on at most four times a second. */
class Merger {
  #pages: LivePage[] = [];
  #progress: LiveProgress | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #show: (pages: readonly LivePage[], progress: LiveProgress | undefined) => void;

  constructor(show: (pages: readonly LivePage[], progress: LiveProgress | undefined) => void) {
    this.#show = show;
  }

  add(page: LivePage | undefined, progress: LiveProgress | undefined): void {
    if (page !== undefined) this.#pages = [page, ...this.#pages].slice(0, KEPT_PAGES);
    this.#progress = progress ?? this.#progress;
    this.#timer ??= setTimeout(() => this.flush(), MERGE_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pages = this.#pages;
    this.#pages = [];
    this.#show(pages, this.#progress);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * Follows a run by server-sent events while the page is visible. A stream that fails is replaced by `poll`, called every three seconds.
 * `onEnd` is called once, when the run has ended.
 */
export function useLiveRun(
  runId: string | undefined,
  { poll, onEnd }: { poll: () => void; onEnd: () => void },
): LiveRun {
  const [live, setLive] = useState(START);
  const pollNow = useEffectEvent(poll);
  const endNow = useEffectEvent(onEnd);
  useEffect(() => {
    if (runId === undefined) return;
    setLive(START);
    let source: EventSource | undefined;
    let polling: ReturnType<typeof setInterval> | undefined;
    const merger = new Merger((pages, progress) =>
      setLive((was) => ({
        ...was,
        progress: progress ?? was.progress,
        pages: [...pages, ...was.pages].slice(0, KEPT_PAGES),
      })),
    );
    const close = () => {
      source?.close();
      source = undefined;
      clearInterval(polling);
    };
    const open = () => {
      if (document.hidden || source !== undefined) return;
      source = new EventSource(`/v1/crawl/${encodeURIComponent(runId)}/events`);
      source.onopen = () => setLive((was) => ({ ...was, state: 'open' }));
      source.addEventListener('page', ({ data }) => merger.add(pageOf(String(data)), undefined));
      source.addEventListener('progress', ({ data }) => merger.add(undefined, progressOf(String(data))));
      source.addEventListener('done', () => {
        close();
        merger.flush();
        setLive((was) => ({ ...was, state: 'ended' }));
        endNow();
      });
      source.onerror = () => {
        // The browser reconnects by itself unless the server refused the stream.
        if (source?.readyState !== EventSource.CLOSED) return;
        close();
        setLive((was) => ({ ...was, state: 'polling' }));
        polling = setInterval(() => pollNow(), POLL_MS);
      };
    };
    const onVisibility = () => (document.hidden ? close() : open());
    document.addEventListener('visibilitychange', onVisibility);
    open();
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      merger.stop();
      close();
    };
  }, [runId]);
  return live;
}
