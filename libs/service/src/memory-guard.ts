import { setTimeout as sleep } from 'node:timers/promises';
import { metrics } from '@opentelemetry/api';
import { AppError } from '@tidemark/errors';
import { type MemoryReading, openCollector, openMemoryReader } from './memory-reading.ts';

interface Marks {
  readonly heap: number;
  readonly resident: number;
}

/** Shares of the limits above which new work is refused. */
const HIGH: Marks = { heap: 0.82, resident: 0.92 };
/** Shares of the limits below which it is accepted again. */
const LOW: Marks = { heap: 0.7, resident: 0.85 };
/** A heap above this share is full although most of it may be garbage. */
const HEAP_CRITICAL = 0.92;

/**
 * Time after which the lower marks no longer count, ms: an allocator may keep memory that is free, and caches may keep the
 * heap above its lower mark. Without this rule a process could refuse work without end.
 */
const LOW_MS = 20_000;

/** Age of a reading, ms, after which it is taken again. */
const READING_MS = 50;
/** Interval between two forced collections while the process is full, ms. */
const COLLECT_EVERY_MS = 2_000;
const WAIT_STEP_MS = 100;
const RETRY_AFTER_SECONDS = 2;

const UNREAD: MemoryReading = {
  heapUsed: 0,
  heapLive: 0,
  heapLimit: Number.POSITIVE_INFINITY,
  resident: 0,
  residentLimit: Number.POSITIVE_INFINITY,
};

export interface MemoryGuardDeps {
  readonly read: () => MemoryReading;
  readonly collect: () => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * States whether the process is near its memory limits. New work is then refused until the use has fallen below a lower
 * mark; accepted work continues. Heap: use after the last full collection. Resident memory: if a limit is set.
 */
export class MemoryGuard {
  readonly #deps: MemoryGuardDeps;
  #reading: MemoryReading = UNREAD;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #collectedAtMs = Number.NEGATIVE_INFINITY;
  #isFull = false;
  #fullSinceMs = 0;
  #refused = 0;

  constructor(deps: MemoryGuardDeps) {
    this.#deps = deps;
  }

  /** True while new work is to be refused. */
  get isFull(): boolean {
    const nowMs = this.#deps.now();
    if (nowMs - this.#readAtMs < READING_MS) return this.#isFull;
    this.#update(nowMs);
    if (!this.#isFull || nowMs - this.#collectedAtMs < COLLECT_EVERY_MS) return this.#isFull;
    this.#collectedAtMs = nowMs;
    this.#deps.collect();
    this.#update(this.#deps.now());
    return this.#isFull;
  }

  #update(nowMs: number): void {
    this.#reading = this.#deps.read();
    this.#readAtMs = nowMs;
    const wasFull = this.#isFull;
    const isOld = nowMs - this.#fullSinceMs > LOW_MS;
    this.#isFull = wasFull ? !isBelow(this.#reading, isOld ? HIGH : LOW) : isHigh(this.#reading);
    if (this.#isFull && !wasFull) this.#fullSinceMs = nowMs;
  }

  /** Requests and messages refused so far. */
  get refused(): number {
    return this.#refused;
  }

  /** Use of the limit that is nearest, from 0 to 1. */
  get share(): number {
    const { heapUsed, heapLimit, resident, residentLimit } = this.#reading;
    return Math.max(heapUsed / heapLimit, resident / residentLimit);
  }

  /** Returns the error for new work; undefined while work is accepted. */
  refusal(): AppError | undefined {
    if (!this.isFull) return undefined;
    this.#refused += 1;
    return new AppError('unavailable', 'the service is near its memory limit and accepts no new work; retry shortly', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /** Resolves when work is accepted, or `signal` is aborted. */
  async untilFree(signal?: AbortSignal): Promise<void> {
    while (this.isFull && signal?.aborted !== true) await sleep(WAIT_STEP_MS);
  }

  /** Readiness check. @throws Error while new work is refused */
  async check(): Promise<void> {
    if (this.isFull) throw new Error(`${Math.round(this.share * 100)} % of the memory limit is in use`);
  }
}

function isHigh({ heapUsed, heapLive, heapLimit, resident, residentLimit }: MemoryReading): boolean {
  if (resident >= residentLimit * HIGH.resident || heapUsed >= heapLimit * HEAP_CRITICAL) return true;
  return heapUsed >= heapLimit * HIGH.heap && heapLive >= heapLimit * LOW.heap;
}

const isBelow = ({ heapUsed, heapLimit, resident, residentLimit }: MemoryReading, marks: Marks): boolean =>
  heapUsed < heapLimit * marks.heap && resident < residentLimit * marks.resident;

let readMemory: (() => MemoryReading) | undefined;

/** The guard of this process, which its services share. */
export const memoryGuard = new MemoryGuard({
  read: () => {
    readMemory ??= openMemoryReader();
    return readMemory();
  },
  collect: openCollector(),
  now: () => performance.now(),
});

/** Registers the gauge `tidemark_memory_share` and the counter `tidemark_memory_refused_total` once per process. */
export function observeMemory(): void {
  const meter = metrics.getMeter('tidemark');
  meter.createObservableGauge('tidemark_memory_share').addCallback((result) => {
    void memoryGuard.isFull;
    result.observe(memoryGuard.share);
  });
  meter.createObservableCounter('tidemark_memory_refused').addCallback((result) => result.observe(memoryGuard.refused));
}
