/**
 * Order in which tasks are served under load: a client waits for interactive pages and for tasks over stored pages;
 * runs have the lowest priority.
 */
export const READ_PRIORITIES = ['interactive', 'stored', 'batch', 'run'] as const;
export type ReadPriority = (typeof READ_PRIORITIES)[number];
