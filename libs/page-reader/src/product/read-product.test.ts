import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const URL_OF_PAGE = 'https://shop.example/p/brass-lamp';
const productOf = (html: string, url = URL_OF_PAGE) =>
  readPage({ html, url, content: USUAL_CONTENT, outputs: new Set() }).product;

const page = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><title>Brass lamp - Shop</title>${head}</head><body><header><a href="/cart" class="cart">Cart €0.00</a></header><main>${body}</main></body></html>`;
const data = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const withData = (value: unknown, body = '<h1>Brass lamp</h1>') => productOf(page(body, data(value)));

const OFFER = { '@type': 'Offer', price: '149.00', priceCurrency: 'EUR', availability: 'https://schema.org/InStock' };
const LAMP = { '@type': 'Product', name: 'Brass lamp', sku: 'TC-19', offers: OFFER };

describe('a product in JSON-LD', () => {
  it('has the price, currency, availability, numbers and brand of its data', () => {
    const product = withData({
      '@context': 'https://schema.org',
      ...LAMP,
      gtin13: '4006381333931',
      brand: { name: 'Acme' },
    });
    expect(product).toEqual({
      price: 149,
      priceHigh: undefined,
      regularPrice: undefined,
      currency: 'EUR',
      availability: 'InStock',
      inStock: true,
      sku: 'TC-19',
      gtin: '4006381333931',
      brand: 'Acme',
      source: 'json_ld',
      conflict: [],
    });
  });

  it.each([
    ['a graph', { '@graph': [{ '@type': 'WebSite', name: 'Shop' }, LAMP] }],
    ['a list', [{ '@type': 'Organization' }, LAMP]],
    ['the main entity of its page', { '@type': 'ItemPage', mainEntity: LAMP }],
    ['an offer', { ...OFFER, itemOffered: { '@type': 'Product', name: 'Brass lamp', sku: 'TC-19' } }],
    ['a type in small letters', { ...LAMP, '@type': 'product' }],
    ['a type with its URL', { ...LAMP, '@type': ['http://schema.org/Product', 'Thing'] }],
    ['an offer in a list', { ...LAMP, offers: [OFFER] }],
    [
      'a price specification',
      {
        ...LAMP,
        offers: {
          '@type': 'Offer',
          availability: 'InStock',
          priceSpecification: [{ '@type': 'UnitPriceSpecification', price: 149, priceCurrency: 'EUR' }],
        },
      },
    ],
    ['offers in an aggregate', { ...LAMP, offers: { '@type': 'AggregateOffer', offers: [OFFER] } }],
  ])('is found in %s', (_, value) => {
    expect(withData(value)).toMatchObject({
      price: 149,
      currency: 'EUR',
      inStock: true,
      sku: 'TC-19',
      source: 'json_ld',
    });
  });

  it('has the range of an aggregate, without the struck-through price', () => {
    const offers = { '@type': 'AggregateOffer', lowPrice: '10.50', highPrice: 20, priceCurrency: 'GBP', price: '30' };
    expect(withData({ ...LAMP, offers })).toMatchObject({ price: 10.5, priceHigh: 20, currency: 'GBP' });
  });

  it('has the former price that a price specification declares', () => {
    const former = { '@type': 'UnitPriceSpecification', priceType: 'https://schema.org/ListPrice', price: 199 };
    expect(withData({ ...LAMP, offers: { ...OFFER, priceSpecification: former } })).toMatchObject({
      price: 149,
      regularPrice: 199,
    });
  });

  it('has the offer with its own number, else the cheapest that can be had', () => {
    const offers = [
      { ...OFFER, price: 5, sku: 'X', availability: 'OutOfStock' },
      { ...OFFER, price: 9, sku: 'Y' },
      { ...OFFER, price: 12, sku: 'Z' },
    ];
    expect(withData({ '@type': 'Product', name: 'Brass lamp', sku: 'Z', offers })).toMatchObject({
      price: 12,
      inStock: true,
    });
    expect(withData({ '@type': 'Product', name: 'Brass lamp', offers })).toMatchObject({
      price: 9,
      priceHigh: 12,
      inStock: true,
    });
  });

  it('has the prices of the variants of its group', () => {
    const hasVariant = [20, 30].map((price) => ({
      '@type': 'Product',
      name: `Lamp ${price}`,
      offers: { ...OFFER, price },
    }));
    const group = { '@type': 'ProductGroup', name: 'Brass lamp', hasVariant };
    expect(withData([group, ...hasVariant])).toMatchObject({ price: 20, priceHigh: 30 });
  });

  it('is read from a script with comments, line breaks in texts and a semicolon', () => {
    const broken = `<!-- ${JSON.stringify(LAMP).replace('Brass lamp', 'Brass\nlamp')}; -->`.replace('; -->', '-->');
    const html = page('<h1>Brass lamp</h1>', `<script type="application/ld+json">${broken}</script>`);
    expect(productOf(html)).toMatchObject({ price: 149, source: 'json_ld' });
  });

  it('is the one with the title or the URL of the page among several', () => {
    const other = { ...LAMP, name: 'Oak table', sku: 'OT-1', offers: { ...OFFER, price: 900 } };
    expect(withData([other, LAMP])).toMatchObject({ price: 149 });
    expect(withData([other, { ...LAMP, name: 'Lamp', url: '/p/brass-lamp' }])).toMatchObject({ price: 149 });
  });

  it('is null for a list of products', () => {
    const list = [1, 2, 3, 4].map((at) => ({ ...LAMP, name: `Oak table ${at}`, url: `/p/${at}`, sku: `S${at}` }));
    expect(withData(list, '<h1>Tables</h1>')).toBeUndefined();
    const items = list.map((item, at) => ({ '@type': 'ListItem', position: at, item }));
    expect(withData({ '@type': 'ItemList', itemListElement: items }, '<h1>Tables</h1>')).toBeUndefined();
  });

  it('is null for a related product of a page without one', () => {
    expect(withData({ '@type': 'WebPage', isRelatedTo: LAMP, review: { itemReviewed: LAMP } })).toBeUndefined();
  });

  it('is null if its data name it and nothing of it', () => {
    expect(withData({ '@type': 'Product', name: 'Our service', brand: 'Acme' })).toBeUndefined();
  });

  it('states in conflict that the page shows another price or stock', () => {
    const shown = '<h1>Brass lamp</h1><p class="price">€129.00</p><p class="availability">Sold out</p>';
    const product = withData(LAMP, shown);
    expect(product).toMatchObject({
      price: 149,
      inStock: true,
      source: 'json_ld',
      conflict: ['price', 'availability'],
    });
  });

  it('has the price of another source on which the page agrees', () => {
    const metas = '<meta property="og:type" content="product"><meta property="product:price:amount" content="129">';
    const html = page('<h1>Brass lamp</h1><p class="price">€129.00</p>', `${metas}${data(LAMP)}`);
    expect(productOf(html)).toMatchObject({ price: 129, source: 'open_graph', conflict: ['price'] });
  });

  it('keeps the data’s price without a conflict if the page shows it beside others', () => {
    const shown = '<h1>Brass lamp</h1><p class="price">€149.00</p><p class="price">Set of two €280.00</p>';
    expect(withData(LAMP, shown)).toMatchObject({ price: 149, conflict: [] });
  });
});

describe('a product in microdata', () => {
  const item = (inner: string, more = '') =>
    page(
      `<div itemscope itemtype="https://schema.org/Product"${more}><h1 itemprop="name">Brass lamp</h1>${inner}</div>`,
    );
  const offer = (inner: string) => `<div itemprop="offers" itemscope itemtype="http://schema.org/Offer">${inner}</div>`;

  it('has the values of content, href, value and text by their elements', () => {
    const html = item(
      '<meta itemprop="sku" content="TC-19"><data itemprop="gtin13" value="4006381333931">code</data>' +
        '<a itemprop="brand" href="/acme">Acme</a>' +
        offer(
          '<span itemprop="price" content="149.00">EUR 149</span><meta itemprop="priceCurrency" content="EUR">' +
            '<link itemprop="availability" href="http://schema.org/OutOfStock">',
        ),
    );
    expect(productOf(html)).toMatchObject({
      price: 149,
      currency: 'EUR',
      availability: 'OutOfStock',
      inStock: false,
      sku: 'TC-19',
      gtin: '4006381333931',
      brand: 'Acme',
      source: 'microdata',
    });
  });

  it('has properties that itemref names, which are outside its element', () => {
    const html = item('<p id="other"><b itemprop="sku">nested</b></p>', ' itemref="code price"').replace(
      '</main>',
      `<p id="code">No. <b itemprop="sku">TC-19</b></p><div id="price">${offer('<b itemprop="price">149,00 €</b>')}</div></main>`,
    );
    expect(productOf(html)).toMatchObject({ price: 149, source: 'microdata' });
  });

  it('does not have the properties of an item in it that is none of its own', () => {
    const related =
      '<div itemscope itemtype="http://schema.org/Product"><b itemprop="name">Oak table</b><b itemprop="sku">OT-1</b></div>';
    expect(productOf(item(`${offer('<b itemprop="price">149</b>')}${related}`))?.sku).toBeUndefined();
  });

  it('has a price beside its name without an offer', () => {
    expect(
      productOf(item('<b itemprop="price">149.00</b><meta itemprop="priceCurrency" content="EUR">')),
    ).toMatchObject({
      price: 149,
      currency: 'EUR',
    });
  });
});

describe('a product in RDFa', () => {
  it('is read in the vocabulary of schema.org', () => {
    const html = page(
      '<div vocab="https://schema.org/" typeof="Product"><h1 property="name">Brass lamp</h1><span property="sku">TC-19</span>' +
        '<div property="offers" typeof="Offer"><span property="price" content="149.00">€149</span>' +
        '<meta property="priceCurrency" content="EUR"><link property="availability" href="https://schema.org/InStock"></div></div>',
    );
    expect(productOf(html)).toMatchObject({ price: 149, currency: 'EUR', inStock: true, sku: 'TC-19', source: 'rdfa' });
  });

  it('is read in GoodRelations', () => {
    const html = page(
      '<div xmlns:gr="http://purl.org/goodrelations/v1#" typeof="gr:Offering"><h1 property="gr:name">Brass lamp</h1>' +
        '<div property="gr:hasStockKeepingUnit" content="TC-19"></div><div property="gr:hasEAN_UCC-13" content="4006381333931"></div>' +
        '<div rel="gr:hasPriceSpecification"><div typeof="gr:UnitPriceSpecification">' +
        '<span property="gr:hasCurrency" content="EUR">€</span><span property="gr:hasCurrencyValue">149.00</span></div></div></div>',
    );
    expect(productOf(html)).toMatchObject({
      price: 149,
      currency: 'EUR',
      sku: 'TC-19',
      gtin: '4006381333931',
      source: 'rdfa',
    });
  });
});

describe('a product in Open Graph', () => {
  const metas = (values: Readonly<Record<string, string>>) =>
    Object.entries(values)
      .map(([name, value]) => `<meta property="${name}" content="${value}">`)
      .join('');

  it('has its price, currency, availability and numbers', () => {
    const head = metas({
      'og:type': 'product',
      'product:price:amount': '149.00',
      'product:price:currency': 'EUR',
      'product:availability': 'in stock',
      'product:retailer_item_id': 'TC-19',
      'product:brand': 'Acme',
    });
    expect(productOf(page('<h1>Brass lamp</h1>', head))).toMatchObject({
      price: 149,
      currency: 'EUR',
      inStock: true,
      sku: 'TC-19',
      brand: 'Acme',
      source: 'open_graph',
    });
  });

  it('has a reduced price and the one before', () => {
    const head = metas({
      'product:price:amount': '199',
      'product:sale_price:amount': '149',
      'product:price:currency': 'EUR',
    });
    expect(productOf(page('<h1>Brass lamp</h1>', head))).toMatchObject({ price: 149, regularPrice: 199 });
  });

  it('has the price of the page if that differs', () => {
    const head = metas({ 'og:price:amount': '125.21', 'og:price:currency': 'EUR' });
    expect(productOf(page('<h1>Brass lamp</h1><p class="price">€149.00</p>', head))).toMatchObject({
      price: 149,
      source: 'page',
      conflict: ['price'],
    });
  });

  it('is null for a group of products', () => {
    expect(productOf(page('<h1>Lamps</h1>', metas({ 'og:type': 'product.group' })))).toBeUndefined();
  });
});

describe('a product that a page shows', () => {
  const BUTTON = '<button class="add-to-cart">Add to cart</button>';
  const shown = (body: string, button = BUTTON) => productOf(page(`<h1>Brass lamp</h1>${body}${button}`));

  it.each([
    ['a price', '<p class="price">€149.00</p>', { price: 149, currency: 'EUR' }],
    ['a price in parts', '<p class="price"><span>€</span><span>149</span><sup>99</sup></p>', { price: 149.99 }],
    ['decimals in a box of their own', '<p class="price">€149<span class="cents">99</span></p>', { price: 149.99 }],
    ['a label', '<table class="price"><tr><td>Price:</td><td>€149.00</td></tr></table>', { price: 149 }],
    [
      'a crossed out price',
      '<p class="price"><del>€199.00</del> <ins>€149.00</ins></p>',
      { price: 149, regularPrice: 199 },
    ],
    [
      'a price named old',
      '<p class="price"><span class="old-price">€199.00</span> <span>€149.00</span></p>',
      { price: 149, regularPrice: 199 },
    ],
    [
      'was and now',
      '<p class="price">Was €199.00</p><p class="price">Now €149.00</p>',
      { price: 149, regularPrice: 199 },
    ],
    [
      'a recommended price',
      '<p class="price">UVP 199,00 €</p><p class="price">149,00 €</p>',
      { price: 149, regularPrice: 199 },
    ],
    ['a range', '<p class="price">€149.00 – €199.00</p>', { price: 149, priceHigh: 199 }],
    ['a lowest price', '<p class="price">From €149.00</p>', { price: 149 }],
    ['a price per unit', '<p class="price">€149.00 (€14.90 / kg)</p>', { price: 149 }],
    ['instalments', '<p class="price">€149.00</p><p>or 3 payments of €49.67</p>', { price: 149 }],
    ['monthly payments', '<p class="price">€149.00</p><p class="price">€12.42/month</p>', { price: 149 }],
    [
      'delivery',
      '<p class="price">€149.00 plus shipping</p><p>Delivery €4.90, free delivery over €200</p>',
      { price: 149 },
    ],
    ['a reduction', '<p class="price">€149.00</p><p class="price">You save: €50.00 (25%)</p>', { price: 149 }],
    ['warranties', '<p class="price">€149.00</p><div class="warranty">2 years €9.00</div>', { price: 149 }],
    ['taxes', '<p class="price">149,00 € inkl. MwSt. zzgl. Versandkosten</p>', { price: 149 }],
    [
      'related products',
      '<p class="price">€149.00</p><div class="related-products"><a href="/p/2">Oak table</a><p class="price">€9.00</p></div>',
      { price: 149 },
    ],
  ])('has %s', (_, body, expected) => {
    expect(shown(body)).toMatchObject({ ...expected, inStock: true, source: 'page', conflict: [] });
  });

  it('is out of stock if its button is disabled or states it, or a box for the stock does', () => {
    const price = '<p class="price">€149.00</p>';
    expect(shown(price, '<button class="cart" disabled>Add to cart</button>')?.inStock).toBe(false);
    expect(shown(`${price}<p class="stock out-of-stock">Out of stock</p>`)?.inStock).toBe(false);
  });

  it('is in stock although one of its sizes is sold out', () => {
    const sizes = '<ul><li>S</li><li>M sold out</li><li>L</li></ul>';
    expect(shown(`<p class="price">€149.00</p>${sizes}`)?.inStock).toBe(true);
  });

  it('has numbers and a brand beside their labels', () => {
    const rows = '<table><tr><th>Brand</th><td>Acme</td></tr><tr><th>EAN</th><td>4006381333931</td></tr></table>';
    const listed = '<dl><dt>Item no.</dt><dd>TC-19</dd></dl>';
    expect(shown(`<p class="price">€149.00</p>${rows}${listed}`)).toMatchObject({
      sku: 'TC-19',
      gtin: '4006381333931',
      brand: 'Acme',
    });
  });

  it.each([
    'SKU: TC-19',
    'Art.-Nr.: TC-19',
    'Product Code - TC-19',
    'Réf. : TC-19',
    'Ref: TC-19 | Colour: brass',
    'Артикул: TC-19',
    'Bestellnummer TC-19',
  ])('has the number of %s', (line) => {
    expect(shown(`<p class="price">€149.00</p><p>${line}</p>`)?.sku).toBe('TC-19');
  });

  it('has the number that the page shows, not that of its data', () => {
    const html = page('<h1>Brass lamp</h1><p>Product code: 88123</p>', data(LAMP));
    expect(productOf(html)?.sku).toBe('88123');
  });

  it('has the number that its scripts or its URL state if nothing else does', () => {
    const script =
      '<script>window.product = {"sku":"TC-19","price":149,"variants":[{"sku":"TC-19"},{"sku":"OT-1"}]}</script>';
    expect(shown(`<p class="price">€149.00</p>${script}`)?.sku).toBe('TC-19');
    const html = page(`<h1>Brass lamp</h1><p class="price">€149.00</p>${BUTTON}`);
    expect(productOf(html, 'https://shop.example/item/1021493409')?.sku).toBe('1021493409');
  });

  it('is null without a control to buy, without a price near its title, and in a list', () => {
    expect(shown('<p class="price">€149.00</p>', '')).toBeUndefined();
    expect(shown('<p class="price">Price on request</p>')).toBeUndefined();
    const card = (at: number) => `<li><a href="/p/${at}">Lamp ${at}</a><p class="price">€${at}.00</p>${BUTTON}</li>`;
    expect(productOf(page(`<h1>Lamps</h1><ul>${[1, 2, 3, 4, 5].map(card).join('')}</ul>`))).toBeUndefined();
  });

  it('is null for an article with an advert of the shop of its site', () => {
    const article = { '@type': 'NewsArticle', headline: 'Brass lamp', datePublished: '2026-01-01' };
    expect(withData(article, `<h1>Brass lamp</h1><p class="price">€9.99</p>${BUTTON}`)).toBeUndefined();
  });
});
