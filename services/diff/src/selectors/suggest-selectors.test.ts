import { describe, expect, it } from '@jest/globals';
import { suggestSelectors } from './suggest-selectors.ts';

const breaks = ['.a', '.b', '.c'].map((selector) => ({ setting: `fields.${selector}`, selector }));

describe('suggestSelectors', () => {
  it('lists selectors beyond the time limit without a suggestion and starts no search for them', async () => {
    const started: string[] = [];
    const neverResolves = (selector: string) => {
      started.push(selector);
      return new Promise<undefined>(() => undefined);
    };
    const suggestions = await suggestSelectors(breaks, neverResolves, 50);
    expect(suggestions.map(({ selector, suggestion }) => [selector, suggestion])).toEqual([
      ['.a', undefined],
      ['.b', undefined],
      ['.c', undefined],
    ]);
    expect(started).toEqual(['.a']);
  });
});
