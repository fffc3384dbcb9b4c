/**
 * Who goes first where threads are short: somebody waits for a page, somebody for what many stored pages say, nobody for a batch's,
 * and a run has time.
 */
export const READ_PRIORITIES = ['interactive', 'stored', 'batch', 'run'] as const;
export type ReadPriority = (typeof READ_PRIORITIES)[number];
