import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const OFFER =
  '<script type="application/ld+json">{"@type":"Product","name":"Stern lamp","offers":{"price":"29.00"}}</script>';
const NAMES = 'lantern torch beacon buoy anchor'.split(' ');
const card = (name: string, price = '$19.00'): string =>
  `<div class="card"><a href="/lamps/${name}"><img src="${name}.jpg"></a><div>CARD ${name}</div><div>${price}</div></div>`;
const cards = (names: readonly string[], price?: string): string =>
  `<section><h2>SEE ALSO</h2><div>${names.map((name) => card(name, price)).join('')}</div></section>`;
const DESCRIPTION =
  '<p>The stern lamp burns for nine hours, and its glass is blown by hand.</p><p>No wind puts it out, whatever the weather is.</p>';

const textOf = (body: string, head = OFFER): string =>
  readPage({
    html: `<html><head><title>Stern lamp</title>${head}</head><body>${body}</body></html>`,
    url: 'http://127.0.0.1:8080/lamps/stern',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
  }).text ?? '';

describe('other products on the page of a product', () => {
  it('are left out with the heading above them', () => {
    const text = textOf(`<main><h1>Stern lamp</h1>${DESCRIPTION}${cards(NAMES)}</main>`);
    expect(text).toContain('burns for nine hours');
    expect(text).not.toMatch(/CARD|SEE ALSO/);
  });

  it('do not win over a short description that stands elsewhere', () => {
    const many = Array.from({ length: 60 }, (_, at) => `lamp-${at}-for-the-long-winter`);
    const text = textOf(`<div><h1>Stern lamp</h1><div>${DESCRIPTION}</div></div><div>${cards(many)}</div>`);
    expect(text).toContain('burns for nine hours');
    expect(text).not.toContain('CARD');
  });

  it.each([
    [
      'microdata around the headline',
      '',
      (body: string) => `<div itemscope itemtype="https://schema.org/Product">${body}</div>`,
    ],
    ['the type of a vendor', '<meta property="og:type" content="shop:product">', (body: string) => body],
    ['a type in lower case', '<script type="application/ld+json">{"@type":"product"}</script>', (body: string) => body],
  ])('are found on a page declared by %s', (_name, head, wrap) => {
    const subject = `<h1 itemprop="name">Stern lamp</h1>${DESCRIPTION.repeat(2)}`;
    expect(textOf(`<main>${wrap(`${subject}${cards(NAMES)}`)}</main>`, head)).not.toContain('CARD');
  });

  it('are found where links of the site hold most of the words', () => {
    const menu = Array.from({ length: 200 }, (_, at) => `<div><a href="/d/${at}">Department ${at}</a></div>`).join('');
    const text = textOf(`<div><div>${menu}</div></div><main><h1>Stern lamp</h1>${DESCRIPTION}${cards(NAMES)}</main>`);
    expect(text).not.toContain('CARD');
  });

  it('are not the variants of the product, which link to its own page', () => {
    const variant = (name: string): string => card(name).replace(`/lamps/${name}`, `/lamps/stern?size=${name}`);
    const text = textOf(`<main><h1>Stern lamp</h1>${DESCRIPTION}<div>${NAMES.map(variant).join('')}</div></main>`);
    expect(text.match(/CARD/g)).toHaveLength(NAMES.length);
  });

  it('are not linked notes without a price', () => {
    const text = textOf(
      `<main><h1>Stern lamp</h1>${DESCRIPTION}<div>${NAMES.map((name) => card(name, 'made of brass')).join('')}</div>${DESCRIPTION}</main>`,
    );
    expect(text).toContain('CARD');
  });

  it('are the content of a page that declares no product', () => {
    expect(textOf(`<main><h1>Lamps</h1>${cards(NAMES)}</main>`, '')).toContain('CARD lantern');
  });
});
