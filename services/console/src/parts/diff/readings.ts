/** Two readings of a page. */
export interface Readings {
  readonly project: string;
  readonly url: string;
  /** Run of the later reading. */
  readonly run: string;
  /** Run of the earlier reading; by default the last good one before. */
  readonly from?: string | undefined;
}
