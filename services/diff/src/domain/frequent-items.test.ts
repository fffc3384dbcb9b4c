import { describe, expect, it } from '@jest/globals';
import { FrequentItems } from './frequent-items.ts';

describe('FrequentItems', () => {
  it('keeps frequent keys when there are more keys than capacity', () => {
    const items = new FrequentItems<undefined>(100);
    for (let at = 0; at < 100_000; at += 1) {
      items.add(`rare ${at}`, () => undefined);
      if (at % 10 === 0) items.add('frequent', () => undefined);
    }
    expect(items.countOf('frequent')).toBe(10_000);
    expect([...items.entries()].length).toBeLessThanOrEqual(100);
  });
});
