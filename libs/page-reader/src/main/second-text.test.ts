import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const SENTENCES =
  'The ferry left the northern quay at seven, and its crew counted forty passengers. No one had an umbrella, yet by noon the square was empty.';
const paragraphs = (count: number): string => `<p>${SENTENCES}</p>`.repeat(count);
const hens = (count: number): string =>
  '<p>HENS A farmer counted his hens, lost three of them, and found five more behind the old barn.</p>'.repeat(count);

const textOf = (body: string, title = 'The ferry and the rain'): string =>
  readPage({
    html: `<html><head><title>${title}</title></head><body>${body}</body></html>`,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
  }).text ?? '';

describe('a second text with its own heading of the first level', () => {
  it('is left out, even if it is longer than the text of the headline', () => {
    const text = textOf(
      `<div class="page"><div class="text"><h1>The ferry and the rain</h1>${paragraphs(4)}</div><div class="next"><h1>Hens</h1>${hens(12)}</div></div>`,
    );
    expect(text).toContain('northern quay');
    expect(text).not.toContain('HENS');
  });

  it('is left out below a headline with a label, on a page whose title has the name of the site', () => {
    const text = textOf(
      `<div class="logo"><h1>Harbour paper</h1></div><div class="page"><div class="text"><h1>The ferry and the rain<div>Listen</div></h1>${paragraphs(4)}</div><div class="next"><h1>Hens</h1>${hens(12)}</div></div>`,
      'The ferry and the rain | Quay',
    );
    expect(text).not.toContain('HENS');
  });

  it('is kept as a section that has the make of the first one', () => {
    const text = textOf(
      `<div class="page"><div class="part"><h1>The ferry and the rain</h1>${paragraphs(4)}</div><div class="part"><h1>Hens</h1>${hens(6)}</div></div>`,
    );
    expect(text).toContain('HENS');
  });

  it('is kept as a section below a headline without a text of its own', () => {
    const text = textOf(
      `<div class="page"><div class="top"><h1>The ferry and the rain</h1><p>${SENTENCES}</p></div><div class="part"><h1>Hens</h1>${hens(6)}</div></div>`,
    );
    expect(text).toContain('HENS');
  });
});
