import { describe, expect, it } from '@jest/globals';
import { findElements } from '@tidemark/page-reader/source';
import { isGeneratedName } from '../markup/generated-names.ts';
import { parseMarkup } from '../markup/markup-tree.ts';
import { cssName } from '../markup/structural-selector.ts';
import { styleOf } from './selector-style.ts';

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
      expect([id, findElements(page, `#${cssName(id)}`).length]).toEqual([id, 1]);
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
});
