import type { BlobStore } from '@tidemark/blobs';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { firstWithin } from '../pages/read-bodies.ts';
import { readMarkdown } from '../pages/read-markdown.ts';
import { searchedText } from '../search/plain-text.ts';
import { makeSketchInTurns } from '../search/sketch.ts';
import { fold } from '../search/words.ts';
import type { RunPageStore } from '../store/run-page-store.ts';
import type { RunStore } from '../store/run-store.ts';
import type { ProcessBatch } from './list-run.ts';

const PAGES_AT_ONCE = 64;
const READS_AT_ONCE = 8;

/** A listed page without a sketch, by its number in the run. */
interface UnsketchedPage {
  readonly number: number;
  readonly row: PageRow;
}

interface PageSketch {
  readonly number: number;
  readonly sketch: Buffer;
}

export interface SketchDeps {
  readonly blobs: BlobStore;
  readonly runs: RunStore;
  readonly pages: RunPageStore;
}

/** Sketches the words of the next pages of a run. A page whose text is missing gets no sketch; searches read such pages. */
export function makeSketchBatch({ blobs, runs, pages }: SketchDeps): ProcessBatch {
  const sketchOf = async (row: PageRow): Promise<Buffer | undefined> => {
    const markdown = await readMarkdown(blobs, row);
    return markdown === undefined ? undefined : makeSketchInTurns(fold(searchedText(markdown, row.title)));
  };
  const sketchesOf = async (some: readonly UnsketchedPage[]): Promise<PageSketch[]> => {
    const sketches: PageSketch[] = [];
    for (let from = 0; from < some.length; ) {
      const piece = firstWithin(some.slice(from, from + READS_AT_ONCE));
      const made = await Promise.all(piece.map(async ({ number, row }) => ({ number, sketch: await sketchOf(row) })));
      from += piece.length;
      sketches.push(...made.flatMap(({ number, sketch }) => (sketch === undefined ? [] : [{ number, sketch }])));
    }
    return sketches;
  };
  return async (run) => {
    const some = await pages.unsketched(run, PAGES_AT_ONCE);
    await pages.sketch(run, await sketchesOf(some));
    const isLast = some.length < PAGES_AT_ONCE;
    const sketched = isLast ? run.listed : (some.at(-1)?.number ?? run.listed);
    const moved = await runs.advance(run.no, { sketched });
    return moved === undefined ? undefined : { run: moved, next: isLast ? 'end' : 'more' };
  };
}
