import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const TOPICS = 'ferry pilot barge tug trawler dinghy schooner launch'.split(' ');
const headline = (subject: string): string => `<a href="/${subject}">Which ${subject} for a small harbour?</a>`;
const NAMES = ['LABEL Ann', 'LABEL Kim', 'LABEL Ruth', 'LABEL Otto'];

const textOf = (body: string): string =>
  readPage({
    html: `<html><head><title>Boats</title></head><body><main><h1>Boats</h1>${body}</main></body></html>`,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
  }).text ?? '';

const lines = (text: string): string[] => text.split('\n').map((line) => line.trim());

describe('labels of the entries of a list of topics', () => {
  const activity = (at: number): string => `<dd>${at}41</dd><dd><time>LABEL May ${at}</time></dd>`;
  const entries = (rest: (at: number, subject: string) => string): string =>
    TOPICS.map(
      (subject, at) => `<div class="topic"><div class="title">${headline(subject)}</div>${rest(at, subject)}</div>`,
    ).join('');

  it('are left out, and the headlines stay', () => {
    const text = textOf(
      entries((at) => `<ul class="parts"><li>${NAMES[at % 4]}</li></ul><dl class="figures">${activity(at)}</dl>`),
    );
    expect(text).not.toContain('LABEL');
    expect(lines(text)).not.toContain('341');
    expect(text.match(/small harbour/g)).toHaveLength(TOPICS.length);
  });

  it('are left out of the rows of a table', () => {
    const row = (subject: string, at: number): string =>
      `<tr><td class="topic">${headline(subject)}</td><td class="poster">${NAMES[at % 4]}</td><td class="posts">${at}41</td><td class="last"><time>LABEL May ${at}</time></td></tr>`;
    const text = textOf(`<table>${TOPICS.map(row).join('')}</table>`);
    expect(text).not.toContain('LABEL');
    expect(text.match(/small harbour/g)).toHaveLength(TOPICS.length);
  });

  it('do not include the descriptions of entries, of which one is short', () => {
    const about = (at: number, subject: string): string =>
      at === 3 ? 'ABOUT repairs' : `ABOUT the ${subject}, its crew, its engine and its quay.`;
    const text = textOf(
      entries((at, subject) => `<div class="about">${about(at, subject)}</div><dl>${activity(at)}</dl>`),
    );
    expect(text.match(/ABOUT/g)).toHaveLength(TOPICS.length);
  });

  it('are content where the entries have no counter, as dates of events are', () => {
    const text = textOf(
      entries((at) => `<div class="date"><time>DATE May ${at}</time></div><div class="place">PLACE ${at % 4}</div>`),
    );
    expect(text.match(/PLACE/g)).toHaveLength(TOPICS.length);
  });

  it('are content where the entries have no time, as prices are', () => {
    const text = textOf(entries((at) => `<div class="price">PRICE ${at}.00</div><div class="stock">${at}</div>`));
    expect(text.match(/PRICE/g)).toHaveLength(TOPICS.length);
  });
});
