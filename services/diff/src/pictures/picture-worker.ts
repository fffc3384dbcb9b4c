import { serveTasks } from '@tidemark/worker-threads';
import { compareJpegs } from './compare-pictures.ts';

/** Input of a thread: two JPEGs, and whether to draw the changes. */
export interface PictureTask {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly isDrawn: boolean;
}

serveTasks(
  ({ before, after, isDrawn }: PictureTask) =>
    () =>
      compareJpegs(before, after, isDrawn),
);
