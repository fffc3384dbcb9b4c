/** Kind of a markup change. */
export type MarkupOpKind = 'insert' | 'remove' | 'move' | 'attr' | 'text';

export interface MarkupOp {
  readonly op: MarkupOpKind;
  /** Selector in the later page, or in the earlier page for a removed node. */
  readonly selector: string;
  /** For `move`: selector in the earlier page. */
  readonly fromSelector?: string;
  /** Nearest preceding heading; absent: none. */
  readonly section?: string;
  /** For `attr`: attribute name. */
  readonly attribute?: string;
  /** Excerpt of markup, attribute value or text, as plain text. Absent: none. */
  readonly before?: string;
  readonly after?: string;
}

/** Why a comparison is incomplete. */
export type MarkupShortfall = 'too_large' | 'out_of_time';

/** Differences of the markup of two readings of one page. */
export interface MarkupDelta {
  /** In the order of the later page; a removed node at its former position. */
  readonly ops: readonly MarkupOp[];
  /** Not all differences are listed. */
  readonly isTruncated: boolean;
  /** Number of ignored differences by noise rule. */
  readonly noiseSuppressed: Readonly<Record<string, number>>;
  readonly nodesBefore: number;
  readonly nodesAfter: number;
  /**
   * `too_large`: nothing was compared. `out_of_time`: parts not reached are reported as removed and inserted, or not at
   * all.
   */
  readonly degraded?: MarkupShortfall;
}
