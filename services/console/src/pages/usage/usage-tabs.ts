export const USAGE_TABS = ['kind', 'project', 'key', 'tokens'] as const;
export type UsageTab = (typeof USAGE_TABS)[number];
