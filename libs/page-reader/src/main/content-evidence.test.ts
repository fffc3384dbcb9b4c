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

const SUBJECTS = 'ferry pilot barge tug trawler dinghy schooner launch cutter ketch yawl'.split(' ');
const sentence = (subject: string): string =>
  `The ${subject} left the northern quay at seven, and its crew counted forty passengers before noon.`;
const paragraphs = (from: number, to: number): string =>
  SUBJECTS.slice(from, to)
    .map((subject) => `<p>${sentence(subject)}</p>`)
    .join('');
const ARTICLE = '<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2024-05-02"}</script>';
const POSTING = '<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>';

const summary = (subject: string): string =>
  `TEASER No one on the ${subject} expected rain, yet by noon the square was empty, and the clerk wrote the names of all who had stayed in a book, slowly, with a pen, while the mayor thanked the crew and promised a new boat by spring, as his father had done before him on the same quay, in a year when the winter was long and the ice stood high at the mouth of the river.`;
const teaser = (subject: string): string =>
  `<div class="item"><div><a href="/${subject}">TEASER Story about the ${subject} and its crew</a></div><div>${summary(subject)}</div></div>`;

describe('the end of a declared article', () => {
  const lists = `<section>${SUBJECTS.slice(0, 6).map(teaser).join('')}</section><section>${SUBJECTS.slice(6).map(teaser).join('')}</section>`;

  it('is before two lists of articles whose long summaries outweigh its text', () => {
    const text = textOf(
      `<div class="row"><div><h1>Ferry</h1>${paragraphs(0, 6)}</div>${lists.replaceAll('class="item"', 'class="entry"')}</div>`,
      ARTICLE,
    );
    expect(text).toContain('The dinghy left');
    expect(text).not.toContain('TEASER');
  });

  it('is not before such a list that more text follows', () => {
    const text = textOf(
      `<div class="row"><h1>Ferry</h1>${paragraphs(0, 6)}${lists}${paragraphs(6, 11)}</div>`,
      ARTICLE,
    );
    expect(text).toContain('TEASER');
    expect(text).toContain('The yawl left');
  });

  it('is not before the posts of a conversation that start with the linked name of their author', () => {
    const posts = SUBJECTS.map(
      (subject) =>
        `<div class="item"><div><a href="/u/${subject}">Captain of the ${subject}</a></div><div>${summary(subject)}</div></div>`,
    ).join('');
    expect(textOf(`<main><h1>Ferry</h1>${paragraphs(0, 5)}${posts}</main>`, POSTING).match(/TEASER/g)).toHaveLength(11);
  });
});

describe('the first post of a conversation', () => {
  const posts = SUBJECTS.slice(0, 4)
    .map((subject) => `<div class="x"><div>Ann</div><p>${sentence(subject)}</p></div>`)
    .join('');
  const notice =
    '<div><h5>Ferry</h5><p>NOTICE The harbour office moves to the southern quay in June, please bring your papers there.</p></div>';
  const described = (text: string): string => `${POSTING}<meta name="description" content="${text}">`;

  it('is the block that the description of the page repeats, and what precedes it is left out', () => {
    const text = textOf(`<main>${notice}<h1>Ferry</h1>${posts}</main>`, described(sentence('ferry').slice(0, 70)));
    expect(text).not.toContain('NOTICE');
    expect(text).toContain('Ferry');
    for (const subject of SUBJECTS.slice(0, 4)) expect(text).toContain(`The ${subject} left`);
  });

  it('is not known where the description is that of the site', () => {
    const text = textOf(
      `<main>${notice}<h1>Ferry</h1>${posts}</main>`,
      described('All about boats on the northern quay.'),
    );
    expect(text).toContain('NOTICE');
  });
});

describe('a page of several texts among links', () => {
  const section = (subject: string): string =>
    `<section><h2>${subject}</h2><div><p>${sentence(subject)}</p></div><div class="cell"><ul><li><a href="/${subject}">LISTED ${subject} repair in winter</a></li><li><a href="/${subject}/2">LISTED ${subject} repair in summer</a></li></ul></div></section>`;

  it('keeps the linked lists of its sections', () => {
    const text = textOf(`<main><h1>Repair</h1>${SUBJECTS.slice(0, 6).map(section).join('')}</main>`);
    expect(text.match(/LISTED/g)).toHaveLength(12);
  });

  it('is not an article, whose linked lists are left out', () => {
    const list = '<div class="cell"><ul><li><a href="/1">LISTED repair in winter</a></li></ul></div>';
    expect(
      textOf(`<main><h1>Ferry</h1><div>${paragraphs(0, 6)}${list}${paragraphs(6, 11)}</div></main>`),
    ).not.toContain('LISTED');
  });
});

describe('a short text with a date of publication', () => {
  const card = '<li><a href="/1">Other story about the harbour and the town</a></li>';
  const page = `<div><div><h1>Ferry</h1>${paragraphs(0, 3)}<ul class="more">${'<li><a href="/1">LINKED story of the harbour</a></li>'.repeat(2)}</ul></div><div class="side"><ul>${card.repeat(24)}</ul></div></div>`;

  it('is an article among many links', () => {
    const dated = '<meta property="article:published_time" content="2024-05-02">';
    expect(textOf(page, dated)).not.toContain('LINKED');
  });

  it('is an entry of a listing without the date', () => {
    expect(textOf(page)).toContain('LINKED');
  });
});
