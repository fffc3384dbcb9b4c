import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ConfigValues, copyKeys, type Masking, mergeConfig, sameConfig } from './config-values.ts';
import { changeOfHealth, healthAfter } from './health.ts';

const masking: Masking = {
  isSecret: (key) => key === 'secret',
  mask: () => '***',
  isMasked: (value) => value === '***',
};
const configs = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'secret'),
  fc.constantFrom<unknown>(1, 'x', [1, 2], { y: 1 }),
);

describe('merging a config', () => {
  it('a second time changes nothing, whatever is merged', () => {
    fc.assert(
      fc.property(configs, configs, (saved: ConfigValues, change: ConfigValues) => {
        const once = mergeConfig(saved, change, masking);
        expect(sameConfig(mergeConfig(once, change, masking), once)).toBe(true);
      }),
    );
  });

  it('keeps a stored secret where a masked one is sent, drops it where an empty one is, and takes no mask for one', () => {
    expect(mergeConfig({ secret: 's' }, { secret: '***' }, masking)).toEqual({ secret: 's' });
    expect(mergeConfig({ secret: 's' }, { secret: '' }, masking)).toEqual({});
    expect(mergeConfig({}, { secret: '***' }, masking)).toEqual({});
    expect(mergeConfig({ a: 's' }, { a: '***' }, masking)).toEqual({ a: '***' });
  });
});

describe('copying keys', () => {
  it('makes the target the source’s like in those keys, and leaves the others', () => {
    const copied = copyKeys({ a: 1, b: 2 }, { b: 3, c: 4, d: 5 }, ['a', 'b', 'c']);
    expect(copied).toEqual({ a: 1, b: 2, d: 5 });
  });

  it('makes no config that is larger than one may be saved', () => {
    const large = 'x'.repeat(1_200_000);
    expect(() => copyKeys({ a: large }, { b: large }, ['a'])).toThrow(expect.objectContaining({ code: 'too_large' }));
    expect(copyKeys({ a: large }, { a: large }, ['a'])).toEqual({ a: large });
  });
});

describe('two configs', () => {
  it('are the same in any order of keys, and not in another order of a list', () => {
    expect(sameConfig({ a: { x: 1, y: 2 }, b: [1, 2] }, { b: [1, 2], a: { y: 2, x: 1 } })).toBe(true);
    expect(sameConfig({ b: [1, 2] }, { b: [2, 1] })).toBe(false);
  });
});

describe('the health of a project', () => {
  it.each([
    ['ok', { status: 'done', stop: 'finished', counts: { ok: 3, blocked: 9 } }],
    ['ok', { status: 'done', stop: 'page_limit', counts: { cached: 1 } }],
    ['failing', { status: 'done', stop: 'site_down', counts: { ok: 3 } }],
    ['failing', { status: 'done', stop: 'finished', counts: { blocked: 3, robots: 1 } }],
    ['failing', { status: 'error', stop: '', counts: { ok: 3 } }],
    ['failing', { status: 'done', stop: 'credit_limit', counts: { blocked: 1 } }],
    ['ok', { status: 'done', stop: 'credit_limit', counts: { ok: 1, blocked: 1 } }],
    [undefined, { status: 'done', stop: 'credit_limit', counts: { ok: 0 } }],
    [undefined, { status: 'cancelled', stop: 'cancelled', counts: {} }],
  ])('is %s after %j', (health, run) => {
    expect(healthAfter(run)).toBe(health);
  });
});

describe('a change of health', () => {
  it.each([
    ['never', 'failing', 'failing'],
    ['ok', 'failing', 'failing'],
    ['failing', 'ok', 'recovered'],
    ['never', 'ok', undefined],
    ['ok', 'ok', undefined],
    ['failing', 'failing', undefined],
  ] as const)('from %s to %s is told as %s', (was, is, told) => {
    expect(changeOfHealth(was, is)).toBe(told);
  });
});
