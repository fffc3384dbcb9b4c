/** Claims in a row that may expire without a result; the process that made them has ended. Then the work fails. */
export const MAX_INTERRUPTIONS = 5;
/** Interruptions from which work is done alone, so that other work of a process that ends does not fail with it. Also in an index of deliveries. */
export const SUSPECT_INTERRUPTIONS = 2;

export const interruptedReason = (what: string): string =>
  `the process that ${what} ended ${MAX_INTERRUPTIONS} times in a row`;
