import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '@tidemark/errors';
import { type KeptReading, makeKeepBodies } from './keep-bodies.ts';
import { readBody } from './read-body.ts';
import type { ReadTask } from './read-task.ts';
import { type StoredAnswer, StoredPages, type StoredTask } from './stored-task.ts';

/** What a reading thread tells: that it is loaded, and what came of each page. */
export type ReaderMessage =
  | { readonly ready: true }
  | { readonly id: number; readonly result: KeptReading }
  | { readonly id: number; readonly answer: StoredAnswer }
  | { readonly id: number; readonly error: string };

/** What a reading thread is given, one after the other. */
export type ReaderOrder =
  | { readonly id: number; readonly task: ReadTask }
  | { readonly id: number; readonly stored: StoredTask };

/** What a reading thread is started with. */
export interface ReaderData {
  /** Where the bodies of pages are kept; undefined: not by the thread. */
  readonly blobUrl: string | undefined;
}

const { blobUrl }: ReaderData = workerData;
const keepBodies = makeKeepBodies(blobUrl);
const storedPages = new StoredPages(blobUrl);
const tell = (message: ReaderMessage): void => parentPort?.postMessage(message);

async function read(id: number, task: ReadTask): Promise<void> {
  try {
    tell({ id, result: keepBodies(task, await readBody(task)) });
  } catch (error) {
    tell({ id, error: messageOf(error) });
  }
}

async function answer(id: number, task: StoredTask, loading: ReturnType<StoredPages['load']>): Promise<void> {
  try {
    tell({ id, answer: storedPages.answer(task, await loading) });
  } catch (error) {
    tell({ id, error: messageOf(error) });
  }
}

/** The thread pages are parsed on, one after the other, so that a large one never holds up the event loop. */
let before = Promise.resolve();
parentPort?.on('message', (order: ReaderOrder) => {
  if ('task' in order) {
    before = before.then(() => read(order.id, order.task));
    return;
  }
  const { id, stored } = order;
  const loading = storedPages.load(stored);
  before = before.then(() => answer(id, stored, loading));
});
tell({ ready: true });
