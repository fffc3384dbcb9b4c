/** Whether a URL is in the scope of the current run, and of its baseline. */
export interface ScopeRules {
  readonly admits: (url: string) => boolean;
  readonly admittedByBaseline: (url: string) => boolean;
}
