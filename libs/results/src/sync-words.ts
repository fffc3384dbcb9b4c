/** Datasets that can be written to a destination. */
export const DESTINATION_DATASETS = ['pages', 'markdown', 'fields', 'changes', 'sitemap'] as const;

/** How rows are written to a destination. */
export const DESTINATION_MODES = ['upsert', 'append', 'mirror'] as const;

/** States of a sync. */
export const SYNC_STATUSES = ['queued', 'running', 'done', 'error', 'cancelled', 'skipped'] as const;

/** Why a sync failed. */
export const SYNC_ERRORS = ['temporary', 'refused', 'invalid', 'not_found', 'internal'] as const;
