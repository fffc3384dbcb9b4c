import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const textOf = (body: string): string =>
  readPage({
    html: `<html><head><title>Ferry</title></head><body>${body}</body></html>`,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
  }).text ?? '';

const countOf = (text: string, part: string): number => text.split(part).length - 1;
const paragraph = (subject: string): string =>
  `<p>The ${subject} left the northern quay at seven, and its crew counted forty passengers before noon.</p>`;
const SUBJECTS = [
  'ferry',
  'pilot',
  'barge',
  'tug',
  'trawler',
  'dinghy',
  'schooner',
  'launch',
  'cutter',
  'ketch',
  'yawl',
];

describe('a text that stands twice in the content', () => {
  it('is written once where a section has an equal copy for other screens', () => {
    const section = `<h2>Fleet</h2>${paragraph('ferry')}${paragraph('pilot')}`;
    const text = textOf(
      `<main><h1>Harbour</h1><div class="wide">${section}</div>${paragraph('tug')}<div>${section}</div></main>`,
    );
    expect(countOf(text, 'The ferry left')).toBe(1);
    expect(text).toContain('The tug left');
  });

  it('is written once where the copy of a long part has other boxes around its lines', () => {
    const plain = SUBJECTS.map(paragraph).join('');
    const boxed = SUBJECTS.map((subject) => `<div><div>${paragraph(subject)}</div></div>`).join('');
    const text = textOf(
      `<main><h1>Harbour</h1><div>${plain}</div><div>${boxed}<p>A note follows for sailors.</p></div></main>`,
    );
    for (const subject of SUBJECTS) expect(countOf(text, `The ${subject} left`)).toBe(1);
  });

  it('stays where one sentence is repeated between other sentences', () => {
    const refrain = paragraph('ferry');
    const text = textOf(
      `<main><h1>Song</h1>${refrain}${paragraph('pilot')}${refrain}${paragraph('tug')}${refrain}</main>`,
    );
    expect(countOf(text, 'The ferry left')).toBe(3);
  });

  it('stays where the entries of a list are equal', () => {
    const entry = `<div class="entry"><b>Kim</b>${paragraph('ferry')}${paragraph('pilot')}</div>`;
    expect(countOf(textOf(`<main><h1>Reports</h1>${entry.repeat(10)}</main>`), 'The ferry left')).toBe(10);
  });

  it('stays in code and in tables', () => {
    const code =
      '<div><pre>open the valve, close the valve, wait for ten seconds, open the valve, close the valve, wait for ten seconds again</pre>';
    const text = textOf(
      `<main><h1>Valve</h1>${paragraph('ferry')}${code}${paragraph('pilot')}${code}${paragraph('tug')}</main>`,
    );
    expect(countOf(text, 'wait for ten seconds again')).toBe(2);
  });

  it('stays where two rows of controls have the same short labels', () => {
    const row = '<div class="row"><h3>Size</h3><ul><li>Small</li><li>Large</li></ul></div>';
    const text = textOf(`<main><h1>Boats</h1>${paragraph('ferry')}${row}${paragraph('pilot')}${row}</main>`);
    expect(countOf(text, 'Large')).toBe(2);
  });

  it('is left out of a forum where a post quotes an earlier one', () => {
    const post = (content: string): string => `<article class="post"><b>Ann</b><div>${content}</div></article>`;
    const text = textOf(
      `<div class="forum"><script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script><h1>Ferry</h1>${post(paragraph('ferry'))}${post(`<blockquote>${paragraph('ferry')}</blockquote><p>I was on it, and we were fifty.</p>`)}</div>`,
    );
    expect(countOf(text, 'The ferry left')).toBe(1);
    expect(text).toContain('we were fifty');
  });
});
