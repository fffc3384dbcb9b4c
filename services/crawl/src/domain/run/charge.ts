/** What a page of a run costs its workspace; 0 closes what was set aside for it. */
export interface Charge {
  readonly captureId: string;
  readonly credits: number;
  /** Whether it counts as a page fetched. */
  readonly isPage: boolean;
}
