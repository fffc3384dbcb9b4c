/** Both texts in one column, or beside one another. */
export const LAYOUTS = ['unified', 'split'] as const;
export type Layout = (typeof LAYOUTS)[number];
