import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const SUBJECTS = 'ferry pilot barge tug trawler dinghy schooner launch'.split(' ');
const sentence = (subject: string): string =>
  `The ${subject} left the northern quay at seven, and its crew counted forty passengers before noon.`;

const textOf = (body: string, head = ''): string =>
  readPage({
    html: `<html><head><title>Boats</title>${head}</head><body>${body}</body></html>`,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
  }).text ?? '';

describe('entries with the name of an aside', () => {
  const entry = (subject: string): string =>
    `<li><div class="teaser"><h3><a href="/${subject}">The ${subject}</a></h3><p>ENTRY ${sentence(subject)}</p></div></li>`;

  it('are the content of a page that consists of them', () => {
    const text = textOf(`<main><h1>Boats</h1><ul>${SUBJECTS.map(entry).join('')}</ul></main>`);
    expect(text.match(/ENTRY/g)).toHaveLength(SUBJECTS.length);
  });

  it('are the content of a listing even if each is one link', () => {
    const card = (subject: string): string =>
      `<section class="widget featured"><a href="/${subject}"><h3>The ${subject}</h3><p>ENTRY ${sentence(subject)}</p></a></section>`;
    expect(textOf(`<main><h1>Boats</h1>${SUBJECTS.map(card).join('')}</main>`).match(/ENTRY/g)).toHaveLength(8);
  });

  it('are left out beside a text of similar length', () => {
    const text = textOf(
      `<main><article><h1>Ferry</h1>${SUBJECTS.map((subject) => `<p>${sentence(subject)}</p>`).join('')}</article><ul>${SUBJECTS.slice(0, 4).map(entry).join('')}</ul></main>`,
    );
    expect(text).not.toContain('ENTRY');
    expect(text).toContain('The launch left');
  });

  it('are left out if they are the labels of a menu', () => {
    const label = (subject: string): string => `<div class="promo"><a href="/${subject}">LABEL ${subject}</a></div>`;
    const text = textOf(
      `<main><h1>Boats</h1><p>${sentence('ferry')}</p><div>${SUBJECTS.map(label).join('')}</div></main>`,
    );
    expect(text).not.toContain('LABEL');
  });
});

describe('boxes of prose with the name of an aside', () => {
  const ARTICLE = '<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2024-05-02"}</script>';
  const box = (from: number): string =>
    `<div class="widget-${from}"><div class="widget">${SUBJECTS.slice(from, from + 4)
      .map((subject) => `<p>BOX ${sentence(subject)}</p>`)
      .join('')}</div></div>`;

  it('are the content of an article that has little else', () => {
    const text = textOf(`<article><h1>Boats</h1><p>${sentence('ferry')}</p>${box(0)}${box(4)}</article>`, ARTICLE);
    expect(text.match(/BOX/g)).toHaveLength(8);
  });

  it('are left out beside a text of similar length', () => {
    const paragraphs = SUBJECTS.map((subject) => `<p>${sentence(subject)} It came back at noon.</p>`).join('');
    expect(textOf(`<article><h1>Boats</h1>${paragraphs}${box(0)}</article>`, ARTICLE)).not.toContain('BOX');
  });

  it('are content where the name is a part of a random one', () => {
    const text = textOf(
      `<article><h1>Boats</h1>${SUBJECTS.map((subject) => `<div id="h.7a27835ad151_9"><p>BOX ${sentence(subject)}</p></div>`).join('')}</article>`,
      ARTICLE,
    );
    expect(text.match(/BOX/g)).toHaveLength(8);
  });
});

describe('the page of a product', () => {
  const PRODUCT = '<script type="application/ld+json">{"@type":"Product","name":"Pack"}</script>';
  const description = `<div class="desc"><p>DESCRIPTION A day pack of 25 litres, with a rain cover and two side pockets.</p><ul><li>Weight: 900 g</li></ul></div>`;
  const review = (subject: string): string => `<div class="entry"><b>Kim</b><p>REVIEW ${sentence(subject)}</p></div>`;
  const page = `<main><div class="product"><h1>Pack 25</h1>${description}</div><div class="product-reviews"><h2>What others write</h2>${SUBJECTS.map(review).join('')}</div></main>`;

  it('is its description without the reviews', () => {
    const text = textOf(page, PRODUCT);
    expect(text).toContain('DESCRIPTION');
    expect(text).not.toContain('REVIEW');
  });

  it('is all of its reviews where it has nothing else', () => {
    const text = textOf(
      `<main><h1>Pack 25</h1><div class="reviews">${SUBJECTS.map(review).join('')}</div></main>`,
      PRODUCT,
    );
    expect(text.match(/REVIEW/g)).toHaveLength(8);
  });

  it('keeps a review that is an article', () => {
    expect(textOf(page).match(/REVIEW/g)).toHaveLength(8);
  });

  it('is a listing if most of its words are links', () => {
    const card = (subject: string): string =>
      `<li><a href="/${subject}">CARD The ${subject} in oak, with brass</a></li>`;
    const text = textOf(`<main><h1>Boats</h1><ul>${SUBJECTS.map(card).join('')}</ul></main>`, PRODUCT);
    expect(text.match(/CARD/g)).toHaveLength(8);
  });
});

describe('headers of the entries of a list', () => {
  const title = (subject: string): string =>
    `TITLE Why the ${subject} left the northern quay at seven, and what its crew did next`;

  it('are the titles of the entries, whatever their length', () => {
    const entry = (subject: string): string =>
      `<article class="post"><header><h2><a href="/${subject}">${title(subject)}</a></h2></header></article>`;
    expect(textOf(`<main><section>${SUBJECTS.map(entry).join('')}</section></main>`).match(/TITLE/g)).toHaveLength(8);
  });

  it('are left out if links to other pages hold most of their words', () => {
    const links = SUBJECTS.map((subject) => `<a href="/${subject}">LINK ${subject}</a> `).join('');
    const text = textOf(
      `<main><article><header><h2>Boats</h2><div>${links}</div></header>${SUBJECTS.map((subject) => `<p>${sentence(subject)}</p>`).join('')}</article></main>`,
    );
    expect(text).not.toContain('LINK');
  });
});
