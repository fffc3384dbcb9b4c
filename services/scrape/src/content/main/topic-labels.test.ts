import { describe, expect, it } from '@jest/globals';
import { readPage, USUAL_CONTENT } from '../read-page.ts';

const TOPICS = 'ferry pilot barge tug trawler dinghy schooner launch'.split(' ');
const FORUM = '<meta name="generator" content="phpBB">';
const headline = (subject: string): string => `<a href="/${subject}">Which ${subject} for a small harbour?</a>`;
const NAMES = ['LABEL Ann', 'LABEL Kim', 'LABEL Ruth', 'LABEL Otto'];

const textOf = (body: string, head = FORUM): string =>
  readPage({
    html: `<html><head><title>Boats</title>${head}</head><body><main><h1>Boats</h1>${body}</main></body></html>`,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
  }).text ?? '';

describe('labels of the entries of a list of topics', () => {
  it('are left out, and the headlines stay', () => {
    const entry = (subject: string, at: number): string =>
      `<div class="topic"><div class="title">${headline(subject)}</div><ul class="parts"><li>${NAMES[at % 4]}</li><li>LABEL ${at} replies</li></ul></div>`;
    const text = textOf(`<div>${TOPICS.map(entry).join('')}</div>`);
    expect(text).not.toContain('LABEL');
    expect(text.match(/small harbour/g)).toHaveLength(TOPICS.length);
  });

  it('are left out of the rows of a table', () => {
    const row = (subject: string, at: number): string =>
      `<tr><td class="topic">${headline(subject)}</td><td class="poster">${NAMES[at % 4]}</td><td class="posts">LABEL ${at}</td></tr>`;
    const text = textOf(`<table>${TOPICS.map(row).join('')}</table>`);
    expect(text).not.toContain('LABEL');
    expect(text.match(/small harbour/g)).toHaveLength(TOPICS.length);
  });

  it('do not include the description of a forum, of which some are short', () => {
    const entry = (subject: string, at: number): string =>
      `<div class="board"><div class="title">${headline(subject)}</div><div class="about">${at === 3 ? 'ABOUT repairs' : `ABOUT the ${subject}, its crew, its engine, and everything else that leaves the quay.`}</div></div>`;
    expect(textOf(`<div>${TOPICS.map(entry).join('')}</div>`).match(/ABOUT/g)).toHaveLength(TOPICS.length);
  });

  it('are content on a page that is no forum', () => {
    const entry = (subject: string, at: number): string =>
      `<div class="card"><div class="title">${headline(subject)}</div><div class="price">PRICE ${at}.00</div></div>`;
    expect(textOf(`<div>${TOPICS.map(entry).join('')}</div>`, '').match(/PRICE/g)).toHaveLength(TOPICS.length);
  });
});
