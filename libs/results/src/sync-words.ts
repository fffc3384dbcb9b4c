/** States of a sync. */
export const SYNC_STATUSES = ['queued', 'running', 'done', 'error', 'cancelled', 'skipped'] as const;

/** Why a sync failed. */
export const SYNC_ERRORS = ['temporary', 'refused', 'invalid', 'not_found', 'internal'] as const;
