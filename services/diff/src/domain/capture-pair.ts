/** Two captures of one page, by their archive ids. */
export interface CapturePair {
  readonly beforeRunId: string;
  readonly beforePageId: string;
  readonly afterRunId: string;
  readonly afterPageId: string;
}
