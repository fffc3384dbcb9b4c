import { describe, expect, it } from '@jest/globals';
import { isGeneratedName } from '../markup/generated-names.ts';
import { parseMarkup } from '../markup/parse-markup.ts';
import { cssName } from '../markup/structural-selector.ts';
import { selectElements } from './select-elements.ts';
import { styleOf } from './selector-style.ts';
import { xpathToCss } from './xpath-to-css.ts';

describe('generated names', () => {
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
  ])('isGeneratedName accepts %s', (name) => expect(isGeneratedName(name)).toBe(true));

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
  ])('isGeneratedName rejects %s', (name) => expect(isGeneratedName(name)).toBe(false));

  it('cssName escapes ids of any characters', () => {
    for (const id of ['2nd', '-', '-1a', 'a.b', 'a:b', 'a b', 'ü"\'', '[x]', 'a\\b', '__proto__']) {
      const page = parseMarkup(`<p id="${id.replaceAll('"', '&quot;')}">x</p>`);
      expect([id, selectElements(page, `#${cssName(id)}`).length]).toEqual([id, 1]);
    }
  });
});

describe('selector styles', () => {
  it.each([
    ['#terms', 'id'],
    ['[role=main]', 'attribute'],
    ['main', 'semantic'],
    ['.a.b', 'class'],
    ['main > .a', 'scoped'],
    ['[class*="Card"]', 'part'],
    ['div:nth-of-type(2)', 'structure'],
    ['.bqWyNq', 'generated'],
  ])('styleOf(%s) is %s', (selector, style) => expect(styleOf(selector)).toBe(style));

  it('selectElements returns nothing for a selector above the step limit', () => {
    const page = parseMarkup('<div><p>'.repeat(6_000));
    expect(selectElements(page, 'div:has(p:has(div)) ~ div:not(:has(span)) * *')).toEqual([]);
  });
});

describe('xpathToCss', () => {
  it.each([
    ["//div[@id='main']/p[2]", 'div[id="main"] > p:nth-of-type(2)'],
    ['/html/body/div[3]//a/@href', 'html > body > div:nth-of-type(3) a'],
    ["//*[contains(@class, 'price')]/text()", '*[class*="price"]'],
    ['//ul/li[last()]', 'ul > li:last-of-type'],
    ["//a[@rel='me' and starts-with(@href,'/u')]", 'a[rel="me"][href^="/u"]'],
  ])('translates %s to %s', (xpath, css) => expect(xpathToCss(xpath)).toBe(css));

  it.each(['//a[text()="x"]', '//a/..', '//a/following::p', '(//a)[1]', '//', ''])(
    'returns undefined for %s',
    (xpath) => expect(xpathToCss(xpath)).toBeUndefined(),
  );
});
