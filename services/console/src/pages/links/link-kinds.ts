export const LINK_KINDS = ['dead_ends', 'orphans', 'unlisted'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** The part of the URL that chooses the findings. */
export interface LinksView {
  readonly kind?: LinkKind | undefined;
  /** By default the newest run that read the whole site. */
  readonly run?: string | undefined;
}
