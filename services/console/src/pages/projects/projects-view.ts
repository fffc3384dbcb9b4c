export const HEALTHS = ['ok', 'failing', 'never'] as const;
export const ORDERS = ['site', '-site', 'lastRun', '-lastRun', 'pages', '-pages', 'nextRun', '-nextRun'] as const;

/** The part of the URL that chooses and orders the projects. */
export interface ProjectView {
  readonly q?: string | undefined;
  /** Only projects with this tag. */
  readonly tag?: string | undefined;
  readonly health?: (typeof HEALTHS)[number] | undefined;
  /** Name of a column, `-` before it for descending. */
  readonly sort?: (typeof ORDERS)[number] | undefined;
}
