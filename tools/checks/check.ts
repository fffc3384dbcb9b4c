/** Result of a check. */
export interface Finding {
  /** One line: what was checked. */
  readonly summary: string;
  readonly problems: readonly string[];
}

export interface Check {
  readonly name: string;
  readonly run: () => Promise<Finding>;
}
