import type { Block } from '@tidemark/contracts/page/v1/blocks';

/** One piece of text: in both readings, only in the later (`+`), or only in the earlier (`-`). */
export type WordRun = readonly [op: '=' | '+' | '-', text: string];

/** What became of one block between two readings of a page. */
export interface BlockChange {
  /** `moved`: said as before, elsewhere on the page. `replaced`: what a comparison that ran out of time can still say. */
  readonly op: 'added' | 'removed' | 'edited' | 'moved' | 'replaced';
  /** As they were cut; absent where the reading has none. */
  readonly before?: Block;
  readonly after?: Block;
  /** The nearest heading above, in the later reading where it is there; empty: none. */
  readonly section: string;
  /** Where the block stands in the markup, in the reading `section` is of. */
  readonly anchor: string;
  /** Of an edited block: its words, from the first to the last. Joined without `-` they are the later text, without `+` the earlier,
   *  which may be of several blocks where the same text was cut anew. */
  readonly words: readonly WordRun[];
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
  /** Nothing but digits differs. */
  readonly isNumericOnly: boolean;
  /** Known to change by itself: it is told, and counted nowhere. */
  readonly isVolatile?: boolean;
}

/** A value beside the text that differs: title, description, canonical, robots, hreflang, h1, … */
export interface FieldChange {
  readonly name: string;
  /** Absent: it was not there. */
  readonly from?: string;
  readonly to?: string;
}

/** How two readings of one page differ. */
export interface PageDelta {
  /** In the order of the later reading, what was removed where it stood. Moved blocks among them. */
  readonly blocks: readonly BlockChange[];
  readonly fields: readonly FieldChange[];
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
  /** Nothing but the order of blocks differs. */
  readonly isReordered: boolean;
  /** The comparison ran out of its time: `blocks` says what was replaced, not where inside. */
  readonly isDegraded: boolean;
}
