import { Worker } from 'node:worker_threads';
import { LANES, type Lane } from '../domain/page-task.ts';
import type { ReadResult, ReadTask } from './read-body.ts';
import type { ReaderMessage } from './read-worker.ts';

/** A page that could not be read in time or memory: a fact about the page. */
export class Unreadable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unreadable';
  }
}

interface Waiting {
  readonly task: ReadTask;
  readonly resolve: (result: ReadResult) => void;
  readonly reject: (error: Error) => void;
}

interface Reader {
  readonly worker: Worker;
  /** Loaded: a page's time begins when it is read, not while its thread starts. */
  isReady: boolean;
  current: (Waiting & { id: number; timer: NodeJS.Timeout; startedAtMs: number }) | undefined;
}

export interface ReadPoolOptions {
  readonly threads: number;
  /** Milliseconds one page may take; the worst real page takes well under two seconds. */
  readonly pageDeadlineMs?: number;
  readonly heapMb?: number;
  /** Memory beside the heap, which the thread's own limits don't see: buffers that packed documents are unpacked to. */
  readonly bufferMb?: number;
}

/** How often threads that take their time are asked for their memory. */
const WATCH_MS = 200;

const SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(SOURCE ? './read-worker.ts' : './read-worker.js', import.meta.url);

/** Threads that read pages. A page that hangs or exhausts its thread costs that thread, which is replaced, and nothing else. */
export class ReadPool {
  readonly #options: Required<ReadPoolOptions>;
  readonly #readers = new Set<Reader>();
  readonly #waiting: Record<Lane, Waiting[]> = { interactive: [], batch: [], run: [] };
  /** Threads that are being ended: one that is busy takes its time. */
  readonly #ending = new Set<Promise<number>>();
  readonly #watch: NodeJS.Timeout;
  #nextId = 1;
  #taken = 0;
  #closed = false;

  constructor(options: ReadPoolOptions) {
    this.#options = { pageDeadlineMs: 8_000, heapMb: 512, bufferMb: 400, ...options };
    for (let i = 0; i < options.threads; i += 1) this.#spawn();
    this.#watch = setInterval(() => this.#weigh(), WATCH_MS).unref();
  }

  /** @throws Unreadable where the page is more than a reader can bear */
  read(task: ReadTask, lane: Lane = 'interactive'): Promise<ReadResult> {
    return new Promise((resolve, reject) => {
      this.#waiting[lane].push({ task, resolve, reject });
      this.#pump();
    });
  }

  #spawn(): void {
    const worker = new Worker(WORKER, {
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      execArgv: SOURCE ? ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'] : [],
    });
    // Parsing must not keep a process alive that has nothing else to do.
    worker.unref();
    const reader: Reader = { worker, isReady: false, current: undefined };
    this.#readers.add(reader);
    worker.on('message', (message: ReaderMessage) => {
      if ('ready' in message) {
        reader.isReady = true;
        return this.#pump();
      }
      const current = reader.current;
      if (current === undefined || current.id !== message.id) return;
      clearTimeout(current.timer);
      reader.current = undefined;
      if ('error' in message) current.reject(new Unreadable(message.error));
      else current.resolve(message.result);
      this.#pump();
    });
    worker.on('error', (error) => this.#lost(reader, `the page exhausted its reader: ${error.message}`));
    worker.on('exit', () => this.#lost(reader, 'the page ended its reader'));
  }

  #lost(reader: Reader, why: string): void {
    if (!this.#readers.delete(reader)) return;
    const ending = reader.worker.terminate().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    if (reader.current !== undefined) {
      clearTimeout(reader.current.timer);
      reader.current.reject(new Unreadable(why));
    }
    if (this.#closed) return;
    this.#spawn();
    this.#pump();
  }

  /** Ends threads whose document unpacks to more than is borne. Ordinary pages are read before they are ever weighed. */
  #weigh(): void {
    const longSince = performance.now() - WATCH_MS;
    for (const reader of this.#readers) {
      const { current, worker } = reader;
      if (current === undefined || current.startedAtMs > longSince) continue;
      worker.getHeapStatistics().then(
        ({ external_memory: bytes }) => {
          if (reader.current !== current || bytes < this.#options.bufferMb * 1_048_576) return;
          this.#lost(reader, `the page exhausted its reader: ${Math.round(bytes / 1_048_576)} MB of buffers`);
        },
        // The thread has ended meanwhile, which is told elsewhere.
        () => undefined,
      );
    }
  }

  /** Every eighth page comes from the lane that would wait longest, so that none waits for ever. */
  #next(): Waiting | undefined {
    this.#taken += 1;
    const lanes = this.#taken % 8 === 0 ? LANES.toReversed() : LANES;
    const lane = lanes.find((name) => this.#waiting[name].length > 0);
    return lane === undefined ? undefined : this.#waiting[lane].shift();
  }

  #pump(): void {
    for (const reader of this.#readers) {
      if (!reader.isReady || reader.current !== undefined) continue;
      const next = this.#next();
      if (next === undefined) return;
      const id = this.#nextId++;
      const timer = setTimeout(() => {
        this.#lost(reader, `the page took longer than ${this.#options.pageDeadlineMs} ms to read`);
      }, this.#options.pageDeadlineMs);
      reader.current = { ...next, id, timer, startedAtMs: performance.now() };
      reader.worker.postMessage({ id, task: next.task });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    await Promise.all([...this.#ending, ...[...this.#readers].map((reader) => reader.worker.terminate())]);
  }
}
