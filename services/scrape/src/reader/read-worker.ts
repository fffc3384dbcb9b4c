import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '@tidemark/errors';
import type { ReadTask } from '@tidemark/page-reader';
import { readBody } from '@tidemark/page-reader';
import { type KeptReading, makeKeepBodies } from './keep-bodies.ts';
import { StoredPages, type StoredResult, type StoredTask } from './stored-task.ts';

/** Content of a message from a reader thread: that it is loaded, or the result of a task. */
type ReaderReport =
  | { readonly ready: true }
  | { readonly id: number; readonly result: KeptReading }
  | { readonly id: number; readonly stored: StoredResult }
  | { readonly id: number; readonly error: string };

/** A message from a reader thread, with the CPU time of the thread since its start, ms. */
export type ReaderMessage = ReaderReport & { readonly cpuMs: number };

/** A message to a reader thread. */
export type ReaderRequest =
  | { readonly id: number; readonly task: ReadTask }
  | { readonly id: number; readonly stored: StoredTask };

/** Start parameters of a reader thread. */
export interface ReaderData {
  /** Blob store for bodies; undefined: the thread stores none. */
  readonly blobUrl: string | undefined;
  /** Added to the nice value of the process for this thread. */
  readonly nice: number;
}

/** Results above this size are transferred instead of copied, bytes. */
const TRANSFERRED_BYTES = 64 * 1024;

const { blobUrl, nice }: ReaderData = workerData;
const keepBodies = makeKeepBodies(blobUrl);
const storedPages = new StoredPages(blobUrl);

function post(report: ReaderReport): void {
  const { user, system } = process.threadCpuUsage();
  const message: ReaderMessage = { ...report, cpuMs: (user + system) / 1_000 };
  const bodies = 'result' in report ? report.result.bodies.buffer : undefined;
  const isOwned = bodies instanceof ArrayBuffer && bodies.byteLength > TRANSFERRED_BYTES;
  parentPort?.postMessage(message, isOwned ? [bodies] : []);
}

/** Lowers the priority of this thread alone: on Linux a nice value belongs to a thread (setpriority(2)). */
function yieldCores(by: number): void {
  try {
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(threadId, Math.min(19, getPriority(threadId) + by));
  } catch {
    // Without /proc the thread keeps the priority of the process.
  }
}

async function read(id: number, task: ReadTask): Promise<void> {
  try {
    post({ id, result: keepBodies(task, await readBody(task)) });
  } catch (error) {
    post({ id, error: messageOf(error) });
  }
}

async function runStored(id: number, task: StoredTask, loading: ReturnType<StoredPages['load']>): Promise<void> {
  try {
    post({ id, stored: storedPages.run(task, await loading) });
  } catch (error) {
    post({ id, error: messageOf(error) });
  }
}

/** Tasks run one after the other on this thread, so that a large page never blocks the event loop. */
let queue = Promise.resolve();
parentPort?.on('message', (request: ReaderRequest) => {
  if ('task' in request) {
    queue = queue.then(() => read(request.id, request.task));
    return;
  }
  const { id, stored } = request;
  const loading = storedPages.load(stored);
  queue = queue.then(() => runStored(id, stored, loading));
});
if (nice > 0) yieldCores(nice);
post({ ready: true });
