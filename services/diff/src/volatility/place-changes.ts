import type { BlockChange, PageDelta } from '../domain/page-delta.ts';
import {
  anchorOf,
  anchorOfField,
  hasMask,
  isMain,
  isNeverVolatile,
  isVolatileList,
  keepsMask,
} from './block-traits.ts';
import { type ChangedBlock, changedBlocks, changedField, hashText, isAlone } from './changed-blocks.ts';

/** A page and its template. */
export interface PageOfTemplate {
  readonly pageKey: string;
  readonly template: string;
}

/** What one comparison of a page shows of one place. */
export interface PlaceChange {
  readonly anchor: string;
  /** The changed blocks that may change by themselves, and those that never do. */
  readonly blocks: readonly ChangedBlock[];
  readonly guarded: readonly ChangedBlock[];
  /** Hashes of the texts of `blocks` before and after. */
  readonly texts: readonly string[];
  /**
   * Its blocks need not be distinguished: only dates and counters differ, no other block of the page has the place, or it
   * is outside the main part.
   */
  readonly isOfPlace: boolean;
}

/** Whether the change may be one that happens by itself. */
export const isLearnable = (change: BlockChange): boolean => change.op !== 'moved' && !isNeverVolatile(change);

/** Returns the places of a page that changed between two readings, recaptures or runs. */
export function placeChanges(page: PageOfTemplate, { blocks, fields }: PageDelta): PlaceChange[] {
  const { pageKey, template } = page;
  const changes = blocks.filter(({ op }) => op !== 'moved');
  const learnable = new Set(changes.filter(isLearnable));
  const learnableAt = Map.groupBy(learnable, (change) => anchorOf(template, change));
  const changed = changedBlocks(page, changes, (change) => !learnable.has(change));
  const ofBlocks = [...Map.groupBy(changed, ([anchor]) => anchor)].map(([anchor, ofPlace]) => {
    const all = ofPlace.map(([, block]) => block);
    return {
      anchor,
      blocks: all.filter(({ isGuarded }) => isGuarded !== true),
      guarded: all.filter(({ isGuarded }) => isGuarded === true),
      ...traitsOf(learnableAt.get(anchor) ?? []),
    };
  });
  const ofLists = fields.filter(isVolatileList).map((field): PlaceChange => {
    const block = changedField(pageKey, field);
    return { anchor: anchorOfField(template, field), blocks: [block], guarded: [], texts: [], isOfPlace: true };
  });
  return [...ofBlocks, ...ofLists];
}

const traitsOf = (changes: readonly BlockChange[]): Pick<PlaceChange, 'texts' | 'isOfPlace'> => ({
  texts: changes.flatMap(({ before, after }) => [before, after].flatMap((side) => (side ? hashText(side.hash) : []))),
  isOfPlace: isWithinMask(changes) || changes.every((change) => isAlone(change) || !isInMain(change)),
});

/** Whether only dates and counters differ. A short text is reported as removed and added; with one anchor both have one mask. */
function isWithinMask(changes: readonly BlockChange[]): boolean {
  const has = (op: BlockChange['op']): boolean => changes.some((change) => change.op === op);
  const isReplaced = has('added') && has('removed');
  return changes.every((change) => keepsMask(change) || (hasMask(change) && isReplaced));
}

const isInMain = ({ before, after }: BlockChange): boolean => {
  const block = after ?? before;
  return block !== undefined && isMain(block);
};
