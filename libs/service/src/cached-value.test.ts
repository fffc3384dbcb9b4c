import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '@tidemark/testkit';
import { CachedValue } from './cached-value.ts';
import { createLogger } from './logger.ts';

const log = createLogger('test', 'silent');
const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

function cached<T>(load: () => Promise<T>): CachedValue<T> {
  const value = new CachedValue({ load, everyMs: 10, failed: 'load failed', log });
  opened.push(value);
  return value;
}

describe('a cached value', () => {
  it('holds the first value once it has started, and later ones without a further call', async () => {
    let count = 0;
    const value = cached(async () => (count += 1));
    await value.start(1_000);
    expect(value.current).toBe(1);
    await until('a second load', async () => (value.current ?? 0) > 1);
  });

  it('stays undefined while loads fail, and keeps the last value when a later one fails', async () => {
    let isUp = false;
    let failures = 0;
    const value = cached(async () => {
      if (isUp) return 'up';
      failures += 1;
      throw new Error('unavailable');
    });
    await value.start(1_000);
    expect(value.current).toBeUndefined();
    isUp = true;
    await until('the value', async () => value.current === 'up');
    isUp = false;
    failures = 0;
    await until('two failed loads', async () => failures >= 2);
    expect(value.current).toBe('up');
  });

  it('starts without a value where the first load takes too long', async () => {
    const value = cached(() => new Promise<never>(() => {}));
    await value.start(20);
    expect(value.current).toBeUndefined();
  });
});
