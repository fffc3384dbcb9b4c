import { Worker } from 'node:worker_threads';
import { AppError } from '@tidemark/errors';
import type { KeptReading } from './keep-bodies.ts';
import { READ_PRIORITIES, type ReadPriority } from './read-priority.ts';
import type { ReadTask } from './read-task.ts';
import type { ReaderData, ReaderMessage } from './read-worker.ts';
import type { StoredAnswer, StoredTask } from './stored-task.ts';

/** A page that could not be read in time or memory: a fact about the page. */
export class Unreadable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unreadable';
  }
}

/** What a thread has said of its task. */
type Told = Extract<ReaderMessage, { readonly id: number }>;

interface Waiting {
  readonly work: { readonly task: ReadTask } | { readonly stored: StoredTask };
  readonly settle: (told: Told) => void;
  readonly reject: (error: Error) => void;
  /** Whoever asked has gone: what is not begun by then is dropped. */
  readonly signal?: AbortSignal | undefined;
}

interface Task extends Waiting {
  readonly id: number;
}

interface Reader {
  readonly worker: Worker;
  /** Loaded: a page's time begins when it is read, not while its thread starts. */
  isReady: boolean;
  current: (Task & { readonly timer: NodeJS.Timeout; readonly startedAtMs: number }) | undefined;
  /** Handed over already, so that the thread needs no waking between two pages. */
  next: { readonly task: Task; readonly priority: ReadPriority } | undefined;
}

export interface ReadPoolOptions {
  readonly threads: number;
  /** Milliseconds one page may take; the worst real page takes well under two seconds. */
  readonly pageDeadlineMs?: number;
  readonly heapMb?: number;
  /** Memory beside the heap, which the thread's own limits don't see: buffers that packed documents are unpacked to. */
  readonly bufferMb?: number;
  /** Where the threads keep the bodies of what they have read. */
  readonly blobUrl?: string | undefined;
}

/** How often threads that take their time are asked for their memory. */
const WATCH_MS = 200;

const SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(SOURCE ? './read-worker.ts' : './read-worker.js', import.meta.url);

/** Threads that read pages. A page that hangs or exhausts its thread costs that thread, which is replaced, and nothing else. */
export class ReadPool {
  readonly #options: Required<Omit<ReadPoolOptions, 'blobUrl'>> & Pick<ReadPoolOptions, 'blobUrl'>;
  readonly #readers = new Set<Reader>();
  readonly #waiting: Record<ReadPriority, Waiting[]> = { interactive: [], stored: [], batch: [], run: [] };
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
  read(task: ReadTask, priority: ReadPriority = 'interactive'): Promise<KeptReading> {
    return new Promise((resolve, reject) => {
      const settle = (told: Told) => ('result' in told ? resolve(told.result) : reject(unreadable(told)));
      this.#wait(priority, { work: { task }, settle, reject });
    });
  }

  /** @throws Unreadable where the page is more than a reader can bear; AppError unavailable where whoever asked has gone before its turn */
  ask(stored: StoredTask, priority: ReadPriority, signal?: AbortSignal): Promise<StoredAnswer> {
    return new Promise((resolve, reject) => {
      const settle = (told: Told) => ('answer' in told ? resolve(told.answer) : reject(unreadable(told)));
      this.#wait(priority, { work: { stored }, settle, reject, signal });
    });
  }

  #wait(priority: ReadPriority, waiting: Waiting): void {
    this.#waiting[priority].push(waiting);
    this.#pump();
  }

  #spawn(): void {
    const workerData: ReaderData = { blobUrl: this.#options.blobUrl };
    const worker = new Worker(WORKER, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      execArgv: SOURCE ? ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'] : [],
    });
    // Parsing must not keep a process alive that has nothing else to do.
    worker.unref();
    const reader: Reader = { worker, isReady: false, current: undefined, next: undefined };
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
      if (reader.next !== undefined) this.#begin(reader, reader.next.task);
      reader.next = undefined;
      current.settle(message);
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
    // The page behind it has not been begun.
    if (reader.next !== undefined) this.#waiting[reader.next.priority].unshift(reader.next.task);
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
  #next(): { task: Task; priority: ReadPriority } | undefined {
    this.#taken += 1;
    const priorities = this.#taken % 8 === 0 ? READ_PRIORITIES.toReversed() : READ_PRIORITIES;
    for (const priority of priorities) {
      const next = this.#firstOf(priority);
      if (next !== undefined) return { task: { ...next, id: this.#nextId++ }, priority };
    }
    return undefined;
  }

  #firstOf(priority: ReadPriority): Waiting | undefined {
    for (let next = this.#waiting[priority].shift(); next !== undefined; next = this.#waiting[priority].shift()) {
      if (next.signal?.aborted !== true) return next;
      next.reject(new AppError('unavailable', 'whoever asked for the page has gone'));
    }
    return undefined;
  }

  /** Idle threads first; then each gets the page it goes on with, of those nobody waits for: it may be long until it comes to it. */
  #pump(): void {
    for (const reader of this.#readers) {
      if (!reader.isReady || reader.current !== undefined) continue;
      const next = this.#next();
      if (next === undefined) return;
      this.#begin(reader, next.task);
      reader.worker.postMessage({ id: next.task.id, ...next.task.work });
    }
    for (const reader of this.#readers) {
      if (reader.current === undefined || reader.next !== undefined) continue;
      const next = this.#waiting.interactive.length > 0 ? undefined : this.#next();
      if (next === undefined) return;
      reader.next = next;
      reader.worker.postMessage({ id: next.task.id, ...next.task.work });
    }
  }

  /** A page's time begins when its thread comes to it. */
  #begin(reader: Reader, task: Task): void {
    const timer = setTimeout(() => {
      this.#lost(reader, `the page took longer than ${this.#options.pageDeadlineMs} ms to read`);
    }, this.#options.pageDeadlineMs);
    reader.current = { ...task, timer, startedAtMs: performance.now() };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    await Promise.all([...this.#ending, ...[...this.#readers].map((reader) => reader.worker.terminate())]);
  }
}

const unreadable = (told: Told): Unreadable =>
  new Unreadable('error' in told ? told.error : 'the reader answered something else');
