/**
 * Divides integers and rounds half up; a negative result is rounded as its opposite, so that a credit note mirrors its invoice.
 * @throws RangeError if the denominator is not positive
 */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  if (denominator <= 0n) throw new RangeError('the denominator must be positive');
  const rounded = (abs(numerator) * 2n + denominator) / (denominator * 2n);
  return numerator < 0n ? -rounded : rounded;
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

/** Returns the smaller of two amounts. */
export function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
