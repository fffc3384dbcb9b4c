import { describe, expect, it } from '@jest/globals';
import { suggestForTexts, suggestSelector } from './suggest-selector.ts';

const WORDS =
  'we collect what you give us and keep it for as long as the law says we must or until you ask us to forget it all';
const terms = (n: number): string =>
  `<h1>Terms ${n}</h1><p>${WORDS} under clause ${n}.</p><p>Write to us about clause ${n} at any time.</p>`;
const page = (body: string): string =>
  `<html><body><nav><a href="/">Home</a> <a href="/help">Help and contact</a></nav>${body}<footer>All rights reserved</footer></body></html>`;
const old = (n: number): string => page(`<div class="Terms_root__a1B2c">${terms(n)}</div>`);

describe('suggestSelector', () => {
  it.each([
    ['id', '<div id="terms" class="box">', '#terms'],
    ['attribute', '<div itemprop="articleBody" class="box">', '[itemprop="articleBody"]'],
    ['semantic tag', '<main class="box">', 'main'],
    ['authored class', '<div class="css-9a8b7c terms-box mt-4">', '.terms-box'],
  ])('suggests a selector by %s', (_, open, selector) => {
    const after = page(`${open}${terms(1)}</${open.slice(1, 5).trim()}>`);
    expect(suggestSelector([old(1)], [after], '.Terms_root__a1B2c')).toMatchObject({ selector, pagesChecked: 1 });
  });

  it('does not suggest a generated name while another selector exists', () => {
    const after = page(`<section><div class="bqWyNq">${terms(1)}</div></section>`);
    expect(suggestSelector([old(1)], [after], '.Terms_root__a1B2c')?.selector).toBe('section');
  });

  it('suggests the stable part of a generated class, or a structural selector, if nothing else exists', () => {
    const generated = page(`<div><div>Nothing</div><div class="Terms_root__9xKq1">${terms(1)}</div></div>`);
    expect(suggestSelector([old(1)], [generated], '.Terms_root__a1B2c')?.selector).toBe('[class*="Terms_root__"]');
    const bare = page(`<div><div>Nothing</div><div>${terms(1)}</div></div>`);
    expect(suggestSelector([old(1)], [bare], '.Terms_root__a1B2c')?.selector).toMatch(/> div:nth-of-type\(2\)$/);
  });

  it('suggests only a selector that is right on every page', () => {
    const after = [1, 2, 3, 4, 5].map((n) =>
      page(
        `<div class="box">Other words</div>${n === 3 ? '<div class="lead">Something else</div>' : ''}<div class="lead terms" id="t${n}">${terms(n)}</div>`,
      ),
    );
    const suggestion = suggestSelector([1, 2, 3, 4, 5].map(old), after, '.Terms_root__a1B2c');
    expect(suggestion).toMatchObject({ selector: '.terms', pagesChecked: 5 });
    expect(suggestion?.confidence).toBeGreaterThanOrEqual(0.9);
    expect(suggestion?.text).toMatch(/^Terms 1 we collect/);
  });

  it('gives a confidence below 0.9 for a single page', () => {
    const after = page(`<main>${terms(1)}</main>`);
    expect(suggestSelector([old(1)], [after], '.Terms_root__a1B2c')?.confidence).toBeLessThan(0.9);
  });

  it('finds a region whose text was edited', () => {
    const after = page(`<main>${terms(1).replace('at any time', 'within thirty days of this notice')}</main>`);
    expect(suggestSelector([old(1)], [after], '.Terms_root__a1B2c')).toMatchObject({ selector: 'main' });
  });

  it('suggests a selector for several elements if several were matched', () => {
    const cards = (name: string): string =>
      [1, 2, 3]
        .map(
          (n) =>
            `<div class="${name}">${terms(n)}</div><hr><p>Advertisement number ${n} with many words of its own</p>`,
        )
        .join('');
    const suggestion = suggestSelector(
      [page(cards('old-card'))],
      [page(`<main>${cards('new-card')}</main>`)],
      '.old-card',
    );
    expect(suggestion).toMatchObject({ selector: '.new-card' });
  });

  it('suggests a CSS selector for an XPath', () => {
    const after = page(`<main>${terms(1)}</main>`);
    expect(suggestSelector([old(1)], [after], "//div[contains(@class,'Terms_root')]")).toMatchObject({
      selector: 'main',
    });
  });

  it('suggestForTexts finds a region by its texts alone', () => {
    expect(
      suggestForTexts(
        [[`Terms 1 ${WORDS} under clause 1. Write to us about clause 1 at any time.`]],
        [page(`<main>${terms(1)}</main>`)],
      ),
    ).toMatchObject({ selector: 'main' });
  });

  it.each([
    ['its text no longer exists', [old(1)], [page('<main>Something else entirely is said here now</main>')]],
    [
      'its text is gone from most pages',
      [old(1), old(2), old(3)],
      [page(`<main>${terms(1)}</main>`), page('<p>a'), page('<p>b')],
    ],
    ['it never matched', [page('<p>Nothing')], [page(`<main>${terms(1)}</main>`)]],
    ['there are no pages', [], []],
    ['the later page is not markup', [old(1)], ['\0\uffff<<<<']],
  ])('returns undefined when %s', (_, before, after) => {
    expect(suggestSelector(before, after, '.Terms_root__a1B2c')).toBeUndefined();
  });

  it.each(['', '[[', '.a:nth-child(', '//a[position() mod 2 = 1]', 'x'.repeat(5_000), ':is(:is(:is(*)))'])(
    'does not throw for an invalid selector (%p)',
    (selector) => {
      expect(() => suggestSelector([old(1)], [old(1)], selector)).not.toThrow();
    },
  );
});
