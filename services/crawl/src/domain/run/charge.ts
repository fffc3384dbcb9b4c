/** The credits a page costs its workspace; 0 releases the credits leased for it. */
export interface Charge {
  readonly captureId: string;
  readonly credits: number;
  /** Whether it counts as a page fetched. */
  readonly isPage: boolean;
}
