import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const POSTING = '<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>';
const SUBJECTS = 'ferry pilot barge tug'.split(' ');
const sentence = (subject: string): string =>
  `The ${subject} left the northern quay at seven, and its crew counted forty passengers before noon.`;
const QUOTED = 'QUOTED A remark from an earlier page of this thread, at some length.';

const textOf = (posts: readonly string[], head = POSTING): string =>
  readPage({
    html: `<html><head><title>Boats</title>${head}</head><body><main><h1>Boats</h1>${posts.map((post) => `<div class="post">${post}</div>`).join('')}</main></body></html>`,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
  }).text ?? '';
const thread = (quotation: string): string =>
  textOf(
    SUBJECTS.map((subject, at) =>
      at === 2 ? `${quotation}<p>${sentence(subject)}</p>` : `<p>${sentence(subject)}</p>`,
    ),
  );

describe('quotations in a conversation', () => {
  it.each([
    ['a line that introduces it', `<blockquote><div>Ann said:</div><p>${QUOTED}</p></blockquote>`],
    ['its source', `<blockquote><div><cite>Ann wrote: May 2</cite>${QUOTED}</div></blockquote>`],
  ])('are left out if they start with %s', (_name, quotation) => {
    const text = thread(quotation);
    expect(text).not.toMatch(/QUOTED|Ann/);
    expect(text).toContain('The barge left');
  });

  it('stay if they name no author', () => {
    expect(thread(`<blockquote><p>${QUOTED}</p><p>${sentence('cutter')}</p></blockquote>`)).toContain('QUOTED');
  });

  it('stay if a source follows them', () => {
    expect(thread(`<blockquote><p>${QUOTED}</p><cite>The harbour log</cite></blockquote>`)).toContain('QUOTED');
  });

  it('are posts if each holds all of its post', () => {
    const posts = SUBJECTS.map((subject) => `<blockquote><div>Note:</div><p>${sentence(subject)}</p></blockquote>`);
    expect(textOf(posts)).toContain('The barge left');
  });

  it('stay in a page that is no conversation', () => {
    const quotation = `<blockquote><div>Ann said:</div><p>${QUOTED}</p></blockquote>`;
    expect(textOf([...SUBJECTS.map((subject) => `<p>${sentence(subject)}</p>`), quotation], '')).toContain('QUOTED');
  });
});
