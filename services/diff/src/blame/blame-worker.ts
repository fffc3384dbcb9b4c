import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { serveTasks } from '@tidemark/worker-threads';
import { contentPageOf } from './content-page.ts';
import { decodeState, encodeState } from './encode-state.ts';
import { firstBlame, nextBlame } from './next-blame.ts';

/** Versions of a page to be followed. Blocks and states are sent encoded because bytes transfer cheaply. */
export interface BlameTask {
  /** The state after the version `before`; absent: the first of `versions` is the first one. */
  readonly known?: { readonly state: Uint8Array; readonly before: Uint8Array };
  readonly versions: readonly { readonly number: number; readonly blocks: Uint8Array }[];
}

const pageOf = (bytes: Uint8Array) => contentPageOf(PageBlocks.decode(bytes));

/** Returns the state after the last of the versions. */
function follow({ known, versions }: BlameTask): Uint8Array {
  let state = known && decodeState(known.state);
  let before = known && pageOf(known.before);
  for (const { number, blocks } of versions) {
    const after = pageOf(blocks);
    state =
      state === undefined || before === undefined
        ? firstBlame(number, after)
        : nextBlame(state, { version: number, before, after });
    before = after;
  }
  return state === undefined ? new Uint8Array() : encodeState(state);
}

serveTasks<BlameTask, Uint8Array>((task) => () => follow(task));
