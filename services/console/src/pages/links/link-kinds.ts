export const LINK_KINDS = ['dead_ends', 'orphans', 'unlisted'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];
