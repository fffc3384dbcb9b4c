/** What started a run. */
export const RUN_TRIGGERS = ['manual', 'schedule', 'api', 'recrawl', 'crawl'] as const;

/** Result of a scheduled start of a run. */
export const DUE_STATUSES = ['starting', 'started', 'skipped', 'refused'] as const;
