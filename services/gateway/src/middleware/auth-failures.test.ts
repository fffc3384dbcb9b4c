import { expect, it } from '@jest/globals';
import { AuthFailures } from './auth-failures.ts';

it('the counts of failed authentications are bounded in number, and those of the latest addresses are kept', () => {
  const failures = new AuthFailures(1, () => 0);
  for (let at = 0; at < 20_000; at += 1) failures.count(`198.51.${at >> 8}.${at & 255}`);
  expect(failures.addresses).toBe(10_000);
  expect(() => failures.count('198.51.78.31')).toThrow(expect.objectContaining({ code: 'rate_limited' }));
});
