import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import type { ReadTask } from '@tidemark/page-reader';
import { readBody } from '@tidemark/page-reader';
import { serveTasks } from '@tidemark/worker-threads';
import { type KeptReading, makeKeepBodies } from './keep-bodies.ts';
import { StoredPages, type StoredResult, type StoredTask } from './stored-task.ts';

/** A task of a reader thread: a page that was fetched, or a query over a stored page. */
export type ReaderRequest = { readonly task: ReadTask } | { readonly stored: StoredTask };

export type ReaderResult = { readonly reading: KeptReading } | { readonly stored: StoredResult };

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

/** Lowers the priority of this thread alone: on Linux a nice value belongs to a thread (setpriority(2)). */
function yieldCores(by: number): void {
  try {
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(threadId, Math.min(19, getPriority(threadId) + by));
  } catch {
    // Without /proc the thread keeps the priority of the process.
  }
}

function accept(request: ReaderRequest): () => Promise<ReaderResult> {
  if ('task' in request) {
    const { task } = request;
    return async () => ({ reading: keepBodies(task, await readBody(task)) });
  }
  const { stored } = request;
  const loading = storedPages.load(stored);
  return async () => ({ stored: storedPages.run(stored, await loading) });
}

function transferOf(result: ReaderResult): ArrayBuffer[] {
  const bodies = 'reading' in result ? result.reading.bodies.buffer : undefined;
  return bodies instanceof ArrayBuffer && bodies.byteLength > TRANSFERRED_BYTES ? [bodies] : [];
}

if (nice > 0) yieldCores(nice);
serveTasks(accept, transferOf);
