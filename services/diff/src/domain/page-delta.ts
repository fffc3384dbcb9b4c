import type { Block } from '@tidemark/contracts/page/v1/blocks';

/** A run of text: in both readings (`=`), only in the later (`+`), or only in the earlier (`-`). */
export type WordRun = readonly [op: '=' | '+' | '-', text: string];

/** The change of one block between two readings of a page. */
export interface BlockChange {
  /**
   * `relinked`: same text with other link targets. `moved`: same text at another position. `replaced`: reported by a
   * degraded comparison.
   */
  readonly op: 'added' | 'removed' | 'edited' | 'relinked' | 'moved' | 'replaced';
  /** The blocks as stored; absent where the reading has none. */
  readonly before?: Block;
  readonly after?: Block;
  /** Nearest preceding heading, in the later reading if the block is there; empty: none. */
  readonly section: string;
  /** Element path of the block, in the reading that `section` is taken from. */
  readonly anchor: string;
  /**
   * For an edited block: all its words in order. Without `-` runs they are the later text, without `+` runs the earlier
   * text, which may come from several blocks if the text was split differently.
   */
  readonly words: readonly WordRun[];
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
  /** The link targets that differ, of an edited or relinked block. */
  readonly links?: readonly LinkChange[];
  /** Only digits differ. */
  readonly isNumericOnly: boolean;
  /** Known to be volatile: listed but not counted. */
  readonly isVolatile?: boolean;
  /** Another block of the page has the same place: element path, section and kind. */
  readonly sharesPlace?: true;
}

/** A change of a link's target. */
export interface LinkChange {
  /** Text of the link. */
  readonly text: string;
  /** Absent: there was no such link. */
  readonly from?: string;
  readonly to?: string;
}

/** A change of a value other than text: title, description, canonical, robots, hreflang, h1, … */
export interface FieldChange {
  readonly name: string;
  /** Absent: the field had no value. */
  readonly from?: string;
  readonly to?: string;
  /** Known to be volatile: listed but not counted. */
  readonly isVolatile?: true;
}

/** The differences between two readings of one page. */
export interface PageDelta {
  /** In the order of the later reading; a removed block at its former position. Includes moved blocks. */
  readonly blocks: readonly BlockChange[];
  /** For each of `blocks` the index of the later block that it is, or that follows it. Absent if the comparison is degraded. */
  readonly positions?: readonly number[];
  readonly fields: readonly FieldChange[];
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
  /** Only the order of blocks differs. */
  readonly isReordered: boolean;
  /** The comparison timed out: `blocks` lists replaced blocks without the edits inside them. */
  readonly isDegraded: boolean;
}
