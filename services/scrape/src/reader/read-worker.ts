import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '@tidemark/errors';
import { type KeptReading, makeKeepBodies } from './keep-bodies.ts';
import { readBody } from './read-body.ts';
import type { ReadTask } from './read-task.ts';
import { StoredPages, type StoredResult, type StoredTask } from './stored-task.ts';

/** A message from a reader thread: that it is loaded, or the result of a task. */
export type ReaderMessage =
  | { readonly ready: true }
  | { readonly id: number; readonly result: KeptReading }
  | { readonly id: number; readonly stored: StoredResult }
  | { readonly id: number; readonly error: string };

/** A message to a reader thread. */
export type ReaderRequest =
  | { readonly id: number; readonly task: ReadTask }
  | { readonly id: number; readonly stored: StoredTask };

/** Start parameters of a reader thread. */
export interface ReaderData {
  /** Blob store for bodies; undefined: the thread stores none. */
  readonly blobUrl: string | undefined;
}

const { blobUrl }: ReaderData = workerData;
const keepBodies = makeKeepBodies(blobUrl);
const storedPages = new StoredPages(blobUrl);
const post = (message: ReaderMessage): void => parentPort?.postMessage(message);

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
post({ ready: true });
