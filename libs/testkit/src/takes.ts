import { setTimeout as sleep } from 'node:timers/promises';
/** Resolves after the time that a fake needs for its work. A test itself waits for a condition instead (`until`). */
export const takes = (ms: number): Promise<void> => sleep(ms);
