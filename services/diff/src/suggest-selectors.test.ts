import { expect, it } from '@jest/globals';
import { suggestSelectors } from './suggest-selectors.ts';

const breaks = ['.a', '.b', '.c'].map((selector) => ({ setting: `fields.${selector}`, selector }));

it('suggestions share their time: those it is not enough for are told without one, and not begun', async () => {
  const begun: string[] = [];
  const never = (selector: string) => {
    begun.push(selector);
    return new Promise<undefined>(() => undefined);
  };
  const told = await suggestSelectors(breaks, never, 50);
  expect(told.map(({ selector, suggestion }) => [selector, suggestion])).toEqual([
    ['.a', ''],
    ['.b', ''],
    ['.c', ''],
  ]);
  expect(begun).toEqual(['.a']);
});
