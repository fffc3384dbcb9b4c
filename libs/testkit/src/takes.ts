/** Resolves after the time that a fake takes for its work. No test waits by this: what a test waits for is a condition (`until`). */
export const takes = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
