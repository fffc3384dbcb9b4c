import { describe, expect, it } from '@jest/globals';
import { isGeneratedName } from '../markup/generated-names.ts';
import { parseMarkup } from '../markup/parse-markup.ts';
import { cssName } from '../markup/structural-selector.ts';
import { selectElements } from './select-elements.ts';
import { styleOf } from './selector-style.ts';
import { xpathToCss } from './xpath-to-css.ts';

describe('names', () => {
  it.each([
    'css-1x2y3z',
    'sc-bdVaJa',
    'Card_body__ToW2S',
    'bqWyNq',
    '_2zry',
    'document-3OCpS5',
    'elementor-element-b031a73',
    'ember512',
    ':r1:',
  ])('%s was made up by a build', (name) => expect(isGeneratedName(name)).toBe(true));

  it.each([
    'content',
    'col-md-9',
    'c-article__content',
    'btn--primary',
    'main-DefaultTemplate',
    'p22-chapters-container',
    'html5',
    'rebrandBodyID',
    'css-grid',
  ])('%s was chosen by people', (name) => expect(isGeneratedName(name)).toBe(false));

  it('of any characters are found by their selectors', () => {
    for (const id of ['2nd', '-', '-1a', 'a.b', 'a:b', 'a b', 'ü"\'', '[x]', 'a\\b', '__proto__']) {
      const page = parseMarkup(`<p id="${id.replaceAll('"', '&quot;')}">x</p>`);
      expect([id, selectElements(page, `#${cssName(id)}`).length]).toEqual([id, 1]);
    }
  });
});

describe('selectors', () => {
  it.each([
    ['#terms', 'id'],
    ['[role=main]', 'mark'],
    ['main', 'semantic'],
    ['.a.b', 'class'],
    ['main > .a', 'scoped'],
    ['[class*="Card"]', 'part'],
    ['div:nth-of-type(2)', 'place'],
    ['.bqWyNq', 'made'],
  ])('%s holds on to its %s', (selector, style) => expect(styleOf(selector)).toBe(style));

  it('that cost too much match nothing', () => {
    const page = parseMarkup('<div><p>'.repeat(6_000));
    expect(selectElements(page, 'div:has(p:has(div)) ~ div:not(:has(span)) * *')).toEqual([]);
  });
});

describe('an XPath', () => {
  it.each([
    ["//div[@id='main']/p[2]", 'div[id="main"] > p:nth-of-type(2)'],
    ['/html/body/div[3]//a/@href', 'html > body > div:nth-of-type(3) a'],
    ["//*[contains(@class, 'price')]/text()", '*[class*="price"]'],
    ['//ul/li[last()]', 'ul > li:last-of-type'],
    ["//a[@rel='me' and starts-with(@href,'/u')]", 'a[rel="me"][href^="/u"]'],
  ])('%s is said in CSS', (xpath, css) => expect(xpathToCss(xpath)).toBe(css));

  it.each(['//a[text()="x"]', '//a/..', '//a/following::p', '(//a)[1]', '//', ''])('%s is not', (xpath) =>
    expect(xpathToCss(xpath)).toBeUndefined(),
  );
});
