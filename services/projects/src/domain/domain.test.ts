import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import fc from 'fast-check';
import { type ConfigValues, copyKeys, type Masking, mergeConfig, sameConfig } from './config-values.ts';
import { healthAfter, healthChange } from './health.ts';

const refuseMissing = (stored: unknown): unknown => {
  if (stored === undefined) throw new AppError('validation', 'none is stored');
  return stored;
};
const masking: Masking = {
  isSecret: (key) => key === 'secret',
  mask: () => '***',
  restore: (_, value, stored) => (value === '***' ? refuseMissing(stored) : value),
  copy: (_, value) => value,
};
const configs = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'secret'),
  fc.constantFrom<unknown>(1, 'x', [1, 2], { y: 1 }),
);

describe('mergeConfig', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(configs, configs, (saved: ConfigValues, change: ConfigValues) => {
        const once = mergeConfig(saved, change, masking);
        expect(sameConfig(mergeConfig(once, change, masking), once)).toBe(true);
      }),
    );
  });

  it('keeps a stored secret for a masked value, removes it for an empty value, and refuses a mask of nothing', () => {
    expect(mergeConfig({ secret: 's' }, { secret: '***' }, masking)).toEqual({ secret: 's' });
    expect(mergeConfig({ secret: 's' }, { secret: '' }, masking)).toEqual({});
    expect(() => mergeConfig({}, { secret: '***' }, masking)).toThrow('none is stored');
    expect(mergeConfig({ a: 's' }, { a: '***' }, masking)).toEqual({ a: '***' });
  });
});

describe('copyKeys', () => {
  it('makes the given keys equal to the source, and leaves the others unchanged', () => {
    const copied = copyKeys({ a: 1, b: 2 }, { b: 3, c: 4, d: 5 }, ['a', 'b', 'c']);
    expect(copied).toEqual({ a: 1, b: 2, d: 5 });
  });

  it('refuses a result above the size limit', () => {
    const large = 'x'.repeat(1_200_000);
    expect(() => copyKeys({ a: large }, { b: large }, ['a'])).toThrow(expect.objectContaining({ code: 'too_large' }));
    expect(copyKeys({ a: large }, { a: large }, ['a'])).toEqual({ a: large });
  });
});

describe('sameConfig', () => {
  it('ignores the order of keys, and compares the order of lists', () => {
    expect(sameConfig({ a: { x: 1, y: 2 }, b: [1, 2] }, { b: [1, 2], a: { y: 2, x: 1 } })).toBe(true);
    expect(sameConfig({ b: [1, 2] }, { b: [2, 1] })).toBe(false);
  });
});

describe('healthAfter', () => {
  it.each([
    ['ok', { status: 'done', stop: 'finished', counts: { ok: 3, blocked: 9 } }],
    ['ok', { status: 'done', stop: 'page_limit', counts: { cached: 1 } }],
    ['failing', { status: 'done', stop: 'site_down', counts: { ok: 3 } }],
    ['failing', { status: 'done', stop: 'finished', counts: { blocked: 3, robots: 1 } }],
    ['failing', { status: 'error', stop: undefined, counts: { ok: 3 } }],
    ['failing', { status: 'error', stop: 'refused', counts: { blocked: 3 } }],
    ['failing', { status: 'done', stop: 'credit_limit', counts: { blocked: 1 } }],
    ['ok', { status: 'done', stop: 'credit_limit', counts: { ok: 1, blocked: 1 } }],
    [undefined, { status: 'done', stop: 'credit_limit', counts: { ok: 0 } }],
    [undefined, { status: 'cancelled', stop: 'cancelled', counts: {} }],
  ] as const)('is %s after %j', (health, run) => {
    expect(healthAfter({ error: undefined, ...run })).toBe(health);
  });
});

describe('healthChange', () => {
  it.each([
    ['never', 'failing', 'failing'],
    ['ok', 'failing', 'failing'],
    ['failing', 'ok', 'recovered'],
    ['never', 'ok', undefined],
    ['ok', 'ok', undefined],
    ['failing', 'failing', undefined],
  ] as const)('from %s to %s is %s', (before, after, change) => {
    expect(healthChange(before, after)).toBe(change);
  });
});
