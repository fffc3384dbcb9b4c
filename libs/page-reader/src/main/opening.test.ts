import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const SENTENCES =
  'The ferry left the northern quay at seven, and its crew counted forty passengers. No one had an umbrella, yet by noon the square was empty.';
const paragraphs = (count: number): string => `<p>${SENTENCES}</p>`.repeat(count);
const PROFILE =
  '<div class="who"><h4>Harbour writers</h4><p>PROFILE Ruth writes about ships, maps and people who mend nets.</p><span>7 texts</span></div>';

const textOf = (body: string): string =>
  readPage({
    html: `<html><head><title>Ferry</title></head><body>${body}</body></html>`,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
  }).text ?? '';

describe('the start of a text', () => {
  it('is its headline: a profile and labels before it are left out', () => {
    const text = textOf(`<div class="a">${PROFILE}<h1>Ferry</h1>${paragraphs(4)}</div>`);
    expect(text).not.toContain('PROFILE');
    expect(text).not.toContain('Harbour writers');
    expect(text).toContain('northern quay');
  });

  it('is before the headline on a page whose sections have headings of the first level', () => {
    const text = textOf(
      `<div class="a">${PROFILE}<h1>First crossing</h1>${paragraphs(4)}<h1>Second crossing</h1>${paragraphs(4)}</div>`,
    );
    expect(text).toContain('PROFILE');
  });

  it('is before the headline on a page with much of its prose there', () => {
    const text = textOf(`<div class="a"><p>INTRO ${SENTENCES}</p>${paragraphs(2)}<h1>Ferry</h1>${paragraphs(4)}</div>`);
    expect(text).toContain('INTRO');
  });
});
