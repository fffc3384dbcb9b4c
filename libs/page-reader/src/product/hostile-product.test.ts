import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const page = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><title>Lamp</title><meta property="og:type" content="product">${head}</head><body class="price cart"><h1>Lamp</h1>${body}</body></html>`;
const LIMIT_MS = 3_000;

/** Returns the product of a page, and the CPU time of the whole reading. */
function timed(html: string) {
  const elapsed = countCpuMs();
  const { product } = readPage({ html, url: 'https://shop.example/p/1', content: USUAL_CONTENT, outputs: new Set() });
  return { product, ms: elapsed() };
}

const nested = (depth: number): string => `${'{"@type":"Product","mainEntity":'.repeat(depth)}1${'}'.repeat(depth)}`;
const script = (json: string): string => `<script type="application/ld+json">${json}</script>`;
const offers = (count: number): string =>
  `{"@type":"Product","name":"Lamp","offers":[${'{"@type":"Offer","price":"5","priceCurrency":"EUR"},'.repeat(count)}{"price":"4"}]}`;

describe('reading a product is bounded', () => {
  it.each([
    ['deeply nested data', page('', script(nested(5_000)))],
    ['thousands of offers', page('', script(offers(5_000)))],
    ['thousands of products', page('', script(`[${`${offers(1)},`.repeat(2_000)}1]`))],
    ['a price of a million digits', page(`<p class="price">€${'9'.repeat(1_000_000)}</p>`)],
    [
      'a price of a million digits in data',
      page('', script(`{"@type":"Product","offers":{"price":"${'9'.repeat(250_000)}"}}`)),
    ],
    ['a million separators', page(`<p class="price">€${'1.'.repeat(500_000)}</p>`)],
    ['thousands of prices', page('<p class="price">€5.00 <del>€6</del></p>'.repeat(20_000))],
    ['one line of many amounts', page(`<p>${'€5 '.repeat(300_000)}</p>`)],
    ['thousands of labels', page('<p>SKU: : : a - b - c: 5 | EAN: 4</p>'.repeat(20_000))],
    ['thousands of buttons', page('<button>Add to cart</button><p class="stock">Out of stock</p>'.repeat(20_000))],
    ['nested crossed out boxes', page(`${'<del class="old-price">€5'.repeat(500)}${'</del>'.repeat(500)}`.repeat(50))],
    ['a long class', page(`<p class="${'price-old '.repeat(50_000)}">€5</p>`)],
    [
      'scripts of many numbers',
      page(`<script>${'x={"sku":"1","ean":"4006381333931"};'.repeat(60_000)}</script>`, script(offers(1))),
    ],
    ['a script of quotes and colons', page(`<script>${'"sku" : '.repeat(200_000)}</script>`, script(offers(1)))],
    [
      'thousands of properties',
      page(
        `<div itemscope itemtype="https://schema.org/Product">${'<b itemprop="price sku name">5</b>'.repeat(20_000)}</div>`,
      ),
    ],
    [
      'thousands of RDFa types',
      page('<div typeof="Product" property="offers"><b property="price">5</b></div>'.repeat(10_000)),
    ],
    ['nested RDFa types', page('<div typeof="Product" property="offers">'.repeat(500).repeat(20))],
    ['long phrases', page(`<p class="stock">${'not no longer '.repeat(20)}</p>`.repeat(5_000))],
  ])('for %s', (_, html) => {
    expect(timed(html).ms).toBeLessThan(LIMIT_MS);
  });

  it('for items that refer to each other and to themselves', () => {
    const item = (id: string, other: string) =>
      `<div id="${id}" itemprop="offers" itemscope itemtype="https://schema.org/Product" itemref="${id} ${other} main"><b itemprop="price">5</b></div>`;
    const { product, ms } = timed(
      page(
        `<div id="main" itemscope itemtype="https://schema.org/Product" itemref="a b main"><b itemprop="name">Lamp</b>${item('a', 'b')}${item('b', 'a')}</div>`,
      ),
    );
    expect(ms).toBeLessThan(LIMIT_MS);
    expect(product?.source).toBe('microdata');
  });

  it('for names that objects of the language have', () => {
    const names = ['__proto__', 'constructor', 'toString', '@type', 'hasOwnProperty'];
    const properties = names.map((name) => `<b itemprop="${name}">5</b><b property="${name}">6</b>`).join('');
    const html = page(
      `<div itemscope typeof="Product" itemtype="https://schema.org/Product"><b itemprop="sku">TC-19</b>${properties}</div>`,
      script('{"@type":"Product","__proto__":{"sku":"X"},"sku":{"constructor":1}}'),
    );
    expect(timed(html).product?.sku).toBe('TC-19');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
