import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const SENTENCES = [
  'The ferry left the northern quay at seven, and its crew counted forty passengers.',
  'The square was empty by noon, and rain fell on the roofs of the market.',
  'A clerk wrote the names in a book, slowly, with a pen.',
  'The mayor thanked the crew, and promised a new boat by spring.',
  'Later the band played, and two old sailors danced.',
  'The harbour closed at nine, when the lamps were lit.',
];
const paragraphs = (count: number): string =>
  SENTENCES.slice(0, count)
    .map((sentence, at) => `<p>${sentence} ${SENTENCES[(at + 2) % SENTENCES.length]}</p>`)
    .join('');

const textOf = (body: string): string =>
  readPage({
    html: `<html><head><title>Ferry</title></head><body>${body}</body></html>`,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
  }).text ?? '';

const teaser =
  '<div class="item"><h4><a href="/1">Story about hens</a></h4><p>TEASER A farmer counted his hens, lost three, and found five behind the barn.</p><span>2H ago</span></div>';

describe('teasers that outweigh a text', () => {
  it('are left out where the headline and the text share a box', () => {
    const text = textOf(
      `<div class="row"><article><h1>Ferry</h1><div class="txt">${paragraphs(5)}</div></article><section class="component"><h3>World</h3>${teaser.repeat(14)}</section></div>`,
    );
    expect(text).toContain('northern quay');
    expect(text).not.toContain('TEASER');
  });

  it('are kept where the box of the headline holds one sentence, as on an index', () => {
    const text = textOf(
      `<div class="row"><div><h1>World</h1><p>${SENTENCES[0]}</p></div><section><h3>Newest</h3>${teaser.repeat(14)}</section></div>`,
    );
    expect(text.match(/TEASER/g)).toHaveLength(14);
  });
});

describe('teasers after a text of two sentences', () => {
  const entry =
    '<div class="it"><a href="/1"><h3>农民数鸡</h3></a><p>TEASER 农民今天数了他的鸡，丢了三只，后来在谷仓后面又找到五只。</p></div>';
  const page = (label: string): string =>
    `<div class="page"><div class="text"><h1>港口新闻</h1><p>渡轮今天重新上漆，镇长在码头看着工人工作。</p></div><div class="list">${label}${entry.repeat(12)}</div></div>`;

  it('are left out below a label that is no heading', () => {
    const text = textOf(page('<p>其他人也在看</p>'));
    expect(text).toContain('渡轮今天重新上漆');
    expect(text).not.toContain('TEASER');
  });

  it('are kept below a heading, as the entries of an index are', () => {
    expect(textOf(page('<h2>其他人也在看</h2>')).match(/TEASER/g)).toHaveLength(12);
  });
});

describe('a note after the text', () => {
  const article = (end: string): string =>
    `<article><h1>Ferry</h1><div class="body">${paragraphs(6)}${end}</div></article>`;
  const note = '<p>NOTE Ruth was born in the valley, studied maps, and has edited this page since spring.</p>';

  it('is left out below the only heading, one of a low level', () => {
    const text = textOf(article(`<h5>About the editor</h5>${note}`));
    expect(text).toContain('the lamps were lit');
    expect(text).not.toMatch(/NOTE|About the editor/);
  });

  it('is left out below the only line that ends with a colon', () => {
    const text = textOf(article(`<p>Teilnehmende Blogs:</p>${note}<p>NOTE Mit diesem Knopf kannst du uns helfen.</p>`));
    expect(text).not.toMatch(/NOTE|Teilnehmende/);
  });

  it.each([
    ['a section of the usual level', `<h2>In short</h2>${note}`],
    ['the last of several sections', `<h4>First</h4>${paragraphs(1)}<h4>In short</h4>${note}`],
    ['a long section', `<h5>The crew</h5>${note.repeat(6)}`],
    ['what one person said', `<p>The mayor said:</p>${note}`],
  ])('is not %s', (_, end) => {
    expect(textOf(article(end))).toContain('NOTE');
  });
});

describe('a heading such as "Recommended for"', () => {
  const part = (at: number, heading: string): string =>
    `<h2>Boat ${at}</h2>${paragraphs(1)}<h3>${heading}</h3><p>PART ${at} ${SENTENCES[at]}</p>`;

  it('heads a part of a text in which it recurs', () => {
    const text = textOf(
      `<article><h1>Boats</h1>${paragraphs(4)}${[1, 2, 3].map((at) => part(at, 'Recommended for')).join('')}</article>`,
    );
    expect(text.match(/PART/g)).toHaveLength(3);
  });

  it('is the end of a text in which it occurs once', () => {
    const text = textOf(`<article><h1>Boats</h1>${paragraphs(6)}${part(1, 'Recommended for you')}</article>`);
    expect(text).not.toContain('PART');
  });
});

describe('a gallery', () => {
  it('is the content of an article whose figures have linked headings and texts', () => {
    const figure = SENTENCES.map(
      (sentence, at) =>
        `<figure><h2><a href="/photo/${at}">Costume of sailor ${at}</a></h2><div><p>FIGURE ${sentence}</p></div></figure>`,
    ).join('');
    const text = textOf(
      `<article><h1>Ferry</h1><div>${paragraphs(5)}</div><div class="slides">${figure}</div></article>`,
    );
    expect(text.match(/FIGURE/g)).toHaveLength(SENTENCES.length);
  });
});

describe('a list of links', () => {
  const links = `<ul>${[1, 2, 3].map((at) => `<li><a href="/${at}">LINKED story of boat ${at} and its crew</a></li>`).join('')}</ul>`;

  it.each([
    ['a paragraph', '<p>These boats were there:</p>'],
    ['a heading', '<h2>Boats</h2>'],
  ])('is part of a text between %s and more text', (_, before) => {
    const text = textOf(`<article><h1>Boats</h1>${paragraphs(4)}${before}${links}${paragraphs(2)}</article>`);
    expect(text.match(/LINKED/g)).toHaveLength(3);
  });

  it('is left out at the end of a text', () => {
    expect(textOf(`<article><h1>Boats</h1>${paragraphs(5)}${links}</article>`)).not.toContain('LINKED');
  });

  it('is left out in a box of its own', () => {
    const text = textOf(`<article><h1>Boats</h1>${paragraphs(4)}<div>${links}</div>${paragraphs(2)}</article>`);
    expect(text).not.toContain('LINKED');
  });
});

describe('a short text in an article element of its own', () => {
  it('is kept beside a longer text of the same make', () => {
    const text = textOf(
      `<main><article class="box post"><h1>On patience</h1><p>SUBJECT Patience is a slow boat, it arrives when the tide does, never before.</p></article><article class="box post-more"><h2>You may like</h2>${paragraphs(6)}</article></main>`,
    );
    expect(text).toContain('SUBJECT');
  });

  it('is not a credit between the headline and the text', () => {
    const text = textOf(
      `<main><h1>On patience</h1><div><p>CREDIT Photo by Ruth, taken in the valley, last spring.</p></div><div class="box">${paragraphs(6)}</div></main>`,
    );
    expect(text).not.toContain('CREDIT');
  });
});
