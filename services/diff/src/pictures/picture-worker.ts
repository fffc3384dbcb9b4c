import { parentPort, workerData } from 'node:worker_threads';
import { compareJpegs, type PictureDelta } from './compare-pictures.ts';

/** What a thread is started with: two JPEGs, and whether the changes are drawn. */
export interface PictureTask {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly isDrawn: boolean;
}

/** What it tells: that it has begun, and what came of it. */
export type PictureMessage = { readonly begun: true } | { readonly delta: PictureDelta };

const send = (message: PictureMessage): void => parentPort?.postMessage(message);

function compareInWorker({ before, after, isDrawn }: PictureTask): void {
  send({ begun: true });
  send({ delta: compareJpegs(before, after, isDrawn) });
}

compareInWorker(workerData);
