export const PAGE_TABS = ['reading', 'evidence', 'links', 'history', 'removed'] as const;
export type PageTab = (typeof PAGE_TABS)[number];
