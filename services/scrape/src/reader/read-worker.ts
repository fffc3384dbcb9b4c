import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '@tidemark/errors';
import { type KeptReading, makeKeepBodies } from './keep-bodies.ts';
import { type ReadTask, readBody } from './read-body.ts';

/** What a reading thread tells: that it is loaded, and what came of each page. */
export type ReaderMessage =
  | { readonly ready: true }
  | { readonly id: number; readonly result: KeptReading }
  | { readonly id: number; readonly error: string };

/** What a reading thread is started with. */
export interface ReaderData {
  /** Where the bodies of pages are kept; undefined: not by the thread. */
  readonly blobUrl: string | undefined;
}

const { blobUrl }: ReaderData = workerData;
const keepBodies = makeKeepBodies(blobUrl);
const tell = (message: ReaderMessage): void => parentPort?.postMessage(message);

async function read(id: number, task: ReadTask): Promise<void> {
  try {
    tell({ id, result: keepBodies(task, await readBody(task)) });
  } catch (error) {
    tell({ id, error: messageOf(error) });
  }
}

/** The thread pages are parsed on, one after the other, so that a large one never holds up the event loop. */
let before = Promise.resolve();
parentPort?.on('message', ({ id, task }: { id: number; task: ReadTask }) => {
  before = before.then(() => read(id, task));
});
tell({ ready: true });
