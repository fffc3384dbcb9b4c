import { divideHalfUp } from './half-up.ts';

/** Returns the net price of credits beyond an allowance in minor units, rounded half up once for the whole period. */
export const overagePrice = (credits: bigint, per1000Minor: number): bigint =>
  divideHalfUp(credits * BigInt(per1000Minor), 1_000n);
