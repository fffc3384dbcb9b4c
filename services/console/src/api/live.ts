import { fillPath } from '@tidemark/sdk';
import { useEffect, useState } from 'react';
import { type StreamState, useEventStream } from './event-stream.ts';

/** Maximum rate at which a stream changes the page, ms. */
const MERGE_MS = 250;
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
  readonly state: StreamState;
}

const START: Pick<LiveRun, 'progress' | 'pages'> = { progress: undefined, pages: [] };
const EVENTS = ['page', 'progress'] as const;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

function pageOf(row: unknown): LivePage | undefined {
  if (!isRecord(row) || typeof row['url'] !== 'string') return undefined;
  const { url, id, verdict, httpStatus, words } = row;
  const status = typeof httpStatus === 'number' ? httpStatus : null;
  return { id: String(id), url, verdict: String(verdict), httpStatus: status, words: countOf(words) };
}

function progressOf(fields: unknown): LiveProgress | undefined {
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

  /** Drops what has not been passed on. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pages = [];
    this.#progress = undefined;
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
  const [merger] = useState(
    () =>
      new Merger((pages, progress) =>
        setLive((was) => ({
          progress: progress ?? was.progress,
          pages: [...pages, ...was.pages].slice(0, KEPT_PAGES),
        })),
      ),
  );
  useEffect(() => {
    if (runId === undefined) return;
    setLive(START);
    return () => merger.stop();
  }, [runId, merger]);
  const state = useEventStream(runId === undefined ? undefined : fillPath('/v1/crawl/{id}/events', { id: runId }), {
    events: EVENTS,
    onEvent: (name, data) =>
      name === 'page' ? merger.add(pageOf(data), undefined) : merger.add(undefined, progressOf(data)),
    poll,
    onEnd: () => {
      merger.flush();
      onEnd();
    },
  });
  return { ...live, state };
}
