export const REQUEST_TABS = ['all', 'failures'] as const;
export type RequestTab = (typeof REQUEST_TABS)[number];
