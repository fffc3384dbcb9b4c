import { parentPort } from 'node:worker_threads';
import { messageOf } from '@tidemark/errors';
import { type ReadResult, type ReadTask, readBody } from './read-body.ts';

/** What a reading thread tells: that it is loaded, and what came of each page. */
export type ReaderMessage =
  | { readonly ready: true }
  | { readonly id: number; readonly result: ReadResult }
  | { readonly id: number; readonly error: string };

const tell = (message: ReaderMessage): void => parentPort?.postMessage(message);

/** The thread pages are parsed on, so that a large one never holds up the event loop. */
parentPort?.on('message', async ({ id, task }: { id: number; task: ReadTask }) => {
  try {
    tell({ id, result: await readBody(task) });
  } catch (error) {
    tell({ id, error: messageOf(error) });
  }
});
tell({ ready: true });
