import { parentPort } from 'node:worker_threads';
import { messageOf } from '@tidemark/errors';
import { type ReadTask, readBody } from './read-body.ts';

/** The thread pages are parsed on, so that a large one never holds up the event loop. */
parentPort?.on('message', ({ id, task }: { id: number; task: ReadTask }) => {
  try {
    parentPort?.postMessage({ id, result: readBody(task) });
  } catch (error) {
    parentPort?.postMessage({ id, error: messageOf(error) });
  }
});
