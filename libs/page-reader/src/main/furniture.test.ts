import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const textOf = (body: string, head = ''): string =>
  readPage({
    html: `<html><head><title>Ferry</title>${head}</head><body>${body}</body></html>`,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
  }).text ?? '';

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
const sentence = (subject: string): string =>
  `The ${subject} left the northern quay at seven, and its crew counted forty passengers before noon.`;
const written = (subjects: readonly string[]): string =>
  subjects.map((subject) => `<p>${sentence(subject)}</p>`).join('');
const paragraphs = written(SUBJECTS);
const [first, last] = [written(SUBJECTS.slice(0, 5)), written(SUBJECTS.slice(5))];
const POSTING = '<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>';
const ARTICLE =
  '<script type="application/ld+json">{"@type":"NewsArticle","headline":"Ferry","datePublished":"2024-05-02"}</script>';

describe('parts of a page that are not its text', () => {
  const posts = SUBJECTS.slice(0, 3)
    .map(
      (subject, at) =>
        `<div class="x"><div>Ann</div><div>STAMP ${at} <time>May ${at}</time></div><p>${sentence(subject)}</p></div>`,
    )
    .join('');

  const terms = SUBJECTS.map(
    (subject) => `<p>FORM The person who hires the ${subject} agrees, in writing, to the terms.</p>`,
  ).join('');

  it('include a form that is filled in, with its terms', () => {
    const fields = '<input type="text"><input type="text"><textarea></textarea>';
    const text = textOf(`<main><h1>Ferry</h1>${paragraphs.repeat(3)}<form>${fields}${terms.repeat(2)}</form></main>`);
    expect(text).toContain('The ferry left');
    expect(text).not.toContain('FORM');
  });

  it('do not include a text in a form with a single field', () => {
    const text = textOf(
      `<main><h1>Ferry</h1>${paragraphs.repeat(3)}<form><input type="text">${terms.repeat(2)}</form></main>`,
    );
    expect(text).toContain('FORM');
  });

  it('do not include a form around the whole page', () => {
    const fields = '<input type="text">'.repeat(6);
    expect(textOf(`<form>${fields}<main><h1>Ferry</h1>${paragraphs}</main></form>`)).toContain('The ferry left');
  });

  it('include the box around a text area with its labels and hints', () => {
    const editor =
      '<div class="y"><h3>EDITOR Your answer</h3><div><ul><li>EDITOR Plain</li><li>EDITOR Code</li></ul><textarea></textarea></div></div>';
    const text = textOf(`<main><h1>Ferry</h1><div>${posts}${editor}</div></main>`, POSTING);
    expect(text).toContain('The barge left');
    expect(text).not.toContain('EDITOR');
  });

  it('do not include a text with a text area in it', () => {
    const text = textOf(`<main><h1>Ferry</h1><div>${paragraphs}<textarea></textarea></div></main>`);
    for (const subject of SUBJECTS) expect(text).toContain(`The ${subject} left`);
  });

  it('include the copyright notice with the lines beside it', () => {
    const text = textOf(
      `<div><h1>Ferry</h1><div>${paragraphs}</div><div><p>NOTICE Registration number 130349</p><p>© 1995 - 2024 The Harbour NOTICE</p></div></div>`,
    );
    expect(text).toContain('The yawl left');
    expect(text).not.toContain('NOTICE');
  });

  it('do not include a copyright sign in the middle of a text', () => {
    const text = textOf(`<main><h1>Ferry</h1>${first}<p>Maps © 1995 The Harbour.</p>${last}</main>`);
    expect(text).toContain('Maps © 1995');
  });

  it('include the times of the posts of a conversation', () => {
    const text = textOf(`<main><h1>Ferry</h1><div>${posts}</div></main>`, POSTING);
    expect(text).toContain('The barge left');
    expect(text).not.toContain('STAMP');
  });

  it('do not include a sentence with a time in it, nor a time in an article', () => {
    const dated = '<p>The harbour opened again on <time>2 May</time>, and forty boats left it on that day.</p>';
    expect(textOf(`<main><h1>Ferry</h1>${posts}${dated}</main>`, POSTING)).toContain('opened again');
    expect(textOf(`<article><h1>Ferry</h1>${first}<h2><time>1912</time></h2>${last}</article>`, ARTICLE)).toContain(
      '1912',
    );
  });
});

describe('a page that declares nothing', () => {
  const teaser =
    '<div class="t"><h4><a href="/1">TEASER about hens</a></h4><p>A farmer counted his hens, and lost three.</p></div>';

  it('ends before teasers where one text holds most of its paragraphs', () => {
    const text = textOf(
      `<main><h1>Ferry</h1><div>${paragraphs}</div><h3>World</h3><div>${teaser.repeat(4)}</div></main>`,
    );
    expect(text).toContain('The yawl left');
    expect(text).not.toContain('TEASER');
  });

  it('keeps the teasers of a listing below its introduction', () => {
    const text = textOf(`<main><h1>News</h1><p>${sentence('ferry')}</p><div>${teaser.repeat(14)}</div></main>`);
    expect(text.match(/TEASER/g)).toHaveLength(14);
  });

  it('starts with a short lead before its text where it has no headline', () => {
    const lead = '<div><p>LEAD The lead says in one sentence what happened, to whom, and why it matters.</p></div>';
    expect(textOf(`<div>${lead}<div>${paragraphs}</div></div>`)).toContain('LEAD');
  });
});

describe('a page with many links', () => {
  const links = '<li><a href="/1">TEASER Story about hens in the valley</a></li>'.repeat(60);

  it('is an article where its paragraphs stand in one element', () => {
    const text = textOf(
      `<div><div><h1>Ferry</h1><div>${paragraphs}</div></div><div><div><h4>World</h4><ul>${links}</ul></div></div></div>`,
    );
    expect(text).toContain('The yawl left');
    expect(text).not.toContain('TEASER');
  });

  it('is a listing where its paragraphs stand in its entries', () => {
    const entries = SUBJECTS.map(
      (subject) =>
        `<div class="z"><h3><a href="/${subject}">ENTRY about it</a></h3><p>${sentence(subject)}</p><ul>${'<li><a href="/t">one of many topics here</a></li>'.repeat(4)}</ul></div>`,
    ).join('');
    expect(textOf(`<div><h1>News</h1><div>${entries}</div></div>`).match(/ENTRY/g)).toHaveLength(SUBJECTS.length);
  });
});

describe('the end of a conversation', () => {
  it('is before a list of other conversations', () => {
    const posts = SUBJECTS.map((subject) => `<div class="p"><p>${sentence(subject)}</p></div>`).join('');
    const others = '<div class="q"><a href="/2">OTHER What about ropes</a></div>'.repeat(5);
    const text = textOf(
      `<main><h1>Ferry</h1><div>${posts}</div><div><h4>OTHER questions</h4>${others}</div></main>`,
      POSTING,
    );
    expect(text).toContain('The yawl left');
    expect(text).not.toContain('OTHER');
  });

  it('does not include the names above its posts, which have one make', () => {
    const posts = SUBJECTS.map(
      (subject, at) => `<div class="p"><div class="u">NAME${at}</div><p>${sentence(subject)}</p></div>`,
    );
    const text = textOf(`<main><h1>Ferry</h1><div>${posts.join('')}</div></main>`, POSTING);
    expect(text).toContain('The yawl left');
    expect(text).not.toContain('NAME');
  });

  it('includes the subjects of a list of topics, which have one make too', () => {
    const topics = SUBJECTS.map(
      (subject) => `<div class="p"><div class="u">Subject ${subject}</div><div>9 views</div></div>`,
    );
    const text = textOf(
      `<main><h1>Topics</h1><p>${sentence('ferry')}</p><div>${topics.join('')}</div></main>`,
      POSTING,
    );
    for (const subject of SUBJECTS) expect(text).toContain(`Subject ${subject}`);
  });
});
