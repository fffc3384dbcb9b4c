import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const SENTENCES =
  'The ferry left the northern quay at seven, and its crew counted forty passengers. No one had an umbrella, yet by noon the square was empty.';
const paragraphs = (count: number): string => `<p>${SENTENCES}</p>`.repeat(count);
const ARTICLE =
  '<meta property="og:type" content="Article"><meta property="article:published_time" content="2024-05-02">';

const textOf = (body: string, head = ARTICLE): string =>
  readPage({
    html: `<html><head><title>Ferry</title>${head}</head>${body}</html>`,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
  }).text ?? '';

describe('the part of an article', () => {
  it('is all boxes of its text, of which one has a further class', () => {
    const text = textOf(
      `<main><h1>Ferry</h1><article><div class="article-body-text first">${paragraphs(2)}</div><div class="article-body-text"><p>SECOND ${SENTENCES}</p></div></article></main>`,
    );
    expect(text).toContain('SECOND');
  });

  it('is the only element declared as its body, beside a longer list of cards that are links', () => {
    const card =
      '<div class="item"><a href="/1"><span>CARD Both parties are to blame for the lack of a government</span><ul><li>By the staff of the paper, 11/20/2019 01:14 PM</li></ul></a></div>';
    const text = textOf(
      `<div class="rows"><h1>Ferry</h1><div><div itemprop="articleBody">KEPT ${SENTENCES} ${SENTENCES}</div></div><div class="list">${card.repeat(12)}</div></div><div class="legal">NOTICE Our service can be reached by telephone and by mail, on all days of the week except holidays, from eight until noon.</div>`,
    );
    expect(text).toContain('KEPT');
    expect(text).not.toMatch(/CARD|NOTICE/);
  });

  it('is the text and not two teasers after its last paragraph', () => {
    const teaser = (at: number): string =>
      `<div class="row r${at}"><div class="cell"><a href="/${at}"><h5>Renault to challenge three vans</h5></a><p>TEASER The latest van of seven seats measures less than four metres in length.</p></div></div>`;
    const text = textOf(
      `<article><h1>Ferry</h1>${paragraphs(6)}<div class="next">${teaser(1)}${teaser(2)}</div></article>`,
    );
    expect(text).toContain('northern quay');
    expect(text).not.toContain('TEASER');
  });

  it('is a box between its paragraphs, whatever it holds', () => {
    expect(
      textOf(`<article><h1>Ferry</h1>${paragraphs(4)}<div><b>BOX</b> Nat Bool</div>${paragraphs(1)}</article>`),
    ).toContain('BOX');
  });

  it('is a sentence after its paragraphs that is in another tag', () => {
    expect(
      textOf(
        `<article><h1>Ferry</h1>${paragraphs(6)}<div>CREDIT Reporting by Ruth Vale, editing by Ann Moor.</div></article>`,
      ),
    ).toContain('CREDIT');
  });

  it('is a short paragraph that the page writes into a box after its last field', () => {
    expect(
      textOf(
        `<main><h1>Ferry</h1>${paragraphs(4)}<label>Name <input></label><button type="button">Greet</button><div><p>GREETED, Edda.</p></div></main>`,
      ),
    ).toContain('GREETED');
  });

  it('is a list of cards that are links, on a page that is no article', () => {
    const card =
      '<div class="item"><a href="/1"><h3>CARD Lantern</h3><p>A lantern of brass with a door of glass, for the quay and for the boat.</p></a></div>';
    expect(
      textOf(`<main><h1>Lanterns</h1><div class="grid">${card.repeat(9)}</div></main>`, '').match(/CARD/g),
    ).toHaveLength(9);
  });
});

describe('a section with prose that has the name of an overlay, banner or widget', () => {
  const section = (name: string, more = ''): string =>
    `<div class="${name}"><h3>Mills</h3><p>SECTION We help mills, mines and harbours to plan their books, and we visit every one of them twice a year.</p><p>${SENTENCES} ${SENTENCES}</p>${more}</div>`;
  const pageOf = (inner: string): string =>
    `<main><h1>Advice</h1><div class="row"><div>${paragraphs(14)}</div>${inner}<div>${paragraphs(1)}</div></div></main>`;

  it.each(['card-overlay', 'hero-banner', 'home-widget'])('is kept on a page that declares no article: %s', (name) => {
    expect(textOf(pageOf(section(name)), '')).toContain('SECTION');
  });

  it('is left out of a declared article', () => {
    expect(textOf(pageOf(section('card-overlay')))).not.toContain('SECTION');
  });

  it('is left out if it is a notice of consent, has a form, or is laid over the page', () => {
    expect(textOf(pageOf(section('cookie-overlay')), '')).not.toContain('SECTION');
    expect(textOf(pageOf(section('card-overlay', '<form><input name="mail"></form>')), '')).not.toContain('SECTION');
    expect(textOf(`${pageOf('')}${section('card-overlay')}`, '')).not.toContain('SECTION');
  });
});
