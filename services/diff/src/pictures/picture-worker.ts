import { parentPort, workerData } from 'node:worker_threads';
import { compareJpegs, type PictureDelta } from './compare-pictures.ts';

/** Input of a thread: two JPEGs, and whether to draw the changes. */
export interface PictureTask {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly isDrawn: boolean;
}

/** Messages of a thread: started, and the result. */
export type PictureMessage = { readonly begun: true } | { readonly delta: PictureDelta };

const send = (message: PictureMessage): void => parentPort?.postMessage(message);

function compareInWorker({ before, after, isDrawn }: PictureTask): void {
  send({ begun: true });
  send({ delta: compareJpegs(before, after, isDrawn) });
}

compareInWorker(workerData);
