/** What a check came to. */
export interface Finding {
  /** One line: what was looked at. */
  readonly says: string;
  readonly problems: readonly string[];
}

export interface Check {
  readonly name: string;
  readonly run: () => Promise<Finding>;
}
