/** What is known of the text of one block. Versions are numbered from 0. */
export interface BlockHistory {
  /** Version in which the block first appeared. */
  readonly origin: number;
  /** Version in which its text was last changed. */
  readonly lastEdit: number;
  readonly edits: number;
  readonly moves: number;
  /** Its text left with version `leftAt` and came back with version `at`. Absent: it never left. */
  readonly returned?: { readonly leftAt: number; readonly at: number };
  /** A comparison was too large to follow every word. */
  readonly isApproximate: boolean;
  /** For each word of its text the version in which it first appeared. */
  readonly words: readonly number[];
}

/** A text that a later version does not have. */
export interface LeftText {
  /** Hash of the text. */
  readonly key: string;
  readonly history: BlockHistory;
  /** The first version without it. */
  readonly leftAt: number;
}

/** What is known of the texts of a page after its version number `version`. */
export interface BlameState {
  readonly version: number;
  /** In the order of the content blocks of that version. */
  readonly blocks: readonly BlockHistory[];
  /** In the order in which they left. */
  readonly left: readonly LeftText[];
}
