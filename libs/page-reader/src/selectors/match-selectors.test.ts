import { describe, expect, it } from '@jest/globals';
import { matchSelectors } from './match-selectors.ts';

const page = `<html><head><meta name="description" content="All about   tides"></head><body>
  <nav><a href="/">Home</a></nav><main><h1>Tides <span hidden>not shown</span></h1>
  <p class="x" data-kind="a">First&nbsp; line</p><p class="x">Second</p><img src="a.png"></main></body></html>`;
const one = (selector: string, samples = 3) => matchSelectors(page, [selector], samples)[0];

describe('matchSelectors', () => {
  it.each([
    ['.x', 2, ['First line', 'Second']],
    ['[data-kind=a]', 1, ['First line']],
    ['h1', 1, ['Tides']],
    ['h1 span', 1, ['not shown']],
    ['meta[name=description]', 1, ['All about tides']],
    ['img', 1, []],
    ['.none', 0, []],
    ['//p[@class="x"]', 2, ['First line', 'Second']],
    ['(//p)[1]', 1, ['First line']],
    ['//nav/a/@href', 1, ['/']],
    ['count(//p)', 1, ['2']],
    ['count(//table)', 0, []],
    ['boolean(//table)', 0, []],
  ])('counts the matches of %s and returns their text', (selector, count, samples) => {
    expect(one(selector)).toEqual({ count, samples, error: '', isPageSpecific: false });
  });

  it.each([
    ['p[', 'not a CSS selector'],
    ['p:nonsense', 'not a selector that can be run on a page'],
    ['', 'empty'],
    ['//p[', 'not an XPath that can be run on a page'],
    ['//p[$x]', 'variables, loops and functions of its own are not supported in XPath'],
    ['a'.repeat(1_001), 'longer than 1000 characters'],
  ])('reports an invalid selector for every page and still runs the others: %s', (selector, error) => {
    const [broken, good] = matchSelectors(page, [selector, '.x'], 1);
    expect(broken).toEqual({ count: 0, samples: [], error, isPageSpecific: false });
    expect(good).toMatchObject({ count: 2, error: '' });
  });

  it('reports a selector that is too costly for this page as page-specific', () => {
    const flat = `<main>${'<div><p>w</p></div>'.repeat(50_000)}</main>`;
    const [costly] = matchSelectors(flat, ['*:has(~ x)'], 1);
    expect(costly).toMatchObject({ count: 0, error: 'too costly for this page', isPageSpecific: true });
  });

  it('limits the characters of samples, each and together', () => {
    const long = `<p>${'tide '.repeat(1_000)}</p>`.repeat(100);
    const found = matchSelectors(long, Array<string>(50).fill('p'), 10);
    expect(found[0]?.samples).toHaveLength(10);
    expect(Math.max(...found.flatMap(({ samples }) => samples).map((text) => text.length))).toBeLessThanOrEqual(300);
    expect(found.flatMap(({ samples }) => samples).join('').length).toBeLessThan(21_000);
    expect(found.every(({ count }) => count === 100)).toBe(true);
  });

  it('returns no samples if none are requested', () => {
    expect(one('.x', 0)).toMatchObject({ count: 2, samples: [] });
  });
});
