/** What became of one place of the markup. */
export type MarkupOpKind = 'insert' | 'remove' | 'move' | 'attr' | 'text';

export interface MarkupOp {
  readonly op: MarkupOpKind;
  /** Where: in the later page, or in the earlier one where it is there no more. */
  readonly selector: string;
  /** Of what has moved: where it stood in the earlier page. */
  readonly fromSelector?: string;
  /** The nearest heading above; absent: there is none. */
  readonly section?: string;
  /** Of `attr`: which one. */
  readonly attribute?: string;
  /** Markup, an attribute's value or text, as plain text, cut to a bound. Absent: there was none. */
  readonly before?: string;
  readonly after?: string;
}

/** Why a comparison says less than it could. */
export type MarkupShortfall = 'too_large' | 'out_of_time';

/** How the markup of two readings of one page differs. */
export interface MarkupDelta {
  /** In the order of the later page, what was removed where it stood. */
  readonly ops: readonly MarkupOp[];
  /** There were more ops than are listed. */
  readonly isTruncated: boolean;
  /** Differences that are none of the page's doing, by the rule that kept them silent. */
  readonly noiseSuppressed: Readonly<Record<string, number>>;
  readonly nodesBefore: number;
  readonly nodesAfter: number;
  /**
   * Present: `too_large`, nothing was compared; `out_of_time`, what was not reached in time is told as removed and inserted whole, or not at
   * all where there was no time for that either.
   */
  readonly degraded?: MarkupShortfall;
}
