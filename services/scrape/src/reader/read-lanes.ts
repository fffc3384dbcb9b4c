/**
 * Who goes first where threads are short: somebody waits for a page, somebody for what many stored pages say, nobody for a batch's,
 * and a run has time.
 */
export const READ_LANES = ['interactive', 'stored', 'batch', 'run'] as const;
export type ReadLane = (typeof READ_LANES)[number];
