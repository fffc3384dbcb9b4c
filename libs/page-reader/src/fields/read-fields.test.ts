import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import fc from 'fast-check';
import type { FieldRule } from '../options/content-options.ts';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { type PageReading, readPage } from '../page/read-page.ts';

const html = `<html lang="en"><head><title>Shop</title><meta property="og:price" content="12.50"></head><body>
  <nav><a href="/home">Home</a></nav><h1> The   <b>Boat</b> </h1>
  <span class="price" data-value="1299">1.299,00 €</span><span class="stock">In stock</span>
  <time datetime="2024-05-06T07:08:09+02:00">6 May</time><a class="more" href="specs?x=1">More</a>
  <ul><li>oak</li><li>sail</li><li></li></ul><div class="text"><p>Long <script>x()</script><b onclick="y()">story</b></p></div></body></html>`;

const readFields = (rules: Record<string, Partial<FieldRule>>, page = html): PageReading =>
  readPage({
    html: page,
    url: 'https://shop.example/boats/1',
    outputs: new Set(),
    content: {
      ...USUAL_CONTENT,
      fields: Object.fromEntries(
        Object.entries(rules).map(([name, rule]) => [name, { selector: '', type: 'string', many: false, ...rule }]),
      ),
    },
  });
const field = (rule: Partial<FieldRule>): unknown => readFields({ it: rule }).fields?.['it'];

describe('fields', () => {
  it('reads text, attributes, numbers, dates, URLs, html and markdown by CSS, from the whole page', () => {
    const { fields } = readFields({
      name: { selector: 'h1' },
      price: { selector: '.price', type: 'number' },
      value: { selector: '.price', attribute: 'data-value', type: 'number' },
      stocked: { selector: '.stock', type: 'boolean' },
      at: { selector: 'time', type: 'date' },
      more: { selector: 'a.more', type: 'url' },
      html: { selector: '.text', type: 'html' },
      markdown: { selector: '.text', type: 'markdown' },
      parts: { selector: 'li', many: true },
      home: { selector: 'nav a' },
      title: { selector: 'title' },
      og: { selector: 'meta[property="og:price"]', type: 'number' },
    });
    expect(fields).toEqual({
      name: 'The Boat',
      price: 1299,
      value: 1299,
      stocked: true,
      at: '2024-05-06T05:08:09.000Z',
      more: 'https://shop.example/boats/specs?x=1',
      html: '<div><p>Long <b>story</b></p></div>',
      markdown: 'Long **story**',
      parts: ['oak', 'sail', ''],
      home: 'Home',
      title: 'Shop',
      og: 12.5,
    });
  });

  it('reads elements, attributes, text and computed values by XPath', () => {
    const xpath: [string, unknown, Partial<FieldRule>?][] = [
      ['//h1', 'The Boat'],
      ['//a[@class="more"]/@href', 'https://shop.example/boats/specs?x=1', { type: 'url' }],
      ['//li/text()', ['oak', 'sail'], { many: true }],
      ['string(//h1/b)', 'Boat'],
      ['count(//li)', 3, { type: 'number' }],
      ['(//li)[last() - 1]', 'sail'],
      ['//span[@class="price"]', '1299', { attribute: 'data-value' }],
      ['//ul/li[2]', 'sail'],
      ['//li[contains(., "oa")]/following-sibling::li[1]', 'sail'],
      ['/html/head/title', 'Shop'],
      ['//li[1]/following-sibling::node()', 'sail'],
      ['boolean(//h2)', false, { type: 'boolean' }],
      ['//time', '2024-05-06T05:08:09.000Z', { type: 'date' }],
    ];
    for (const [selector, value, rule] of xpath) expect(field({ selector, ...rule })).toEqual(value);
  });

  it('accepts ::text and ::attr(name) as Parsel writes them', () => {
    expect(field({ selector: 'h1::text' })).toBe('The Boat');
    expect(field({ selector: 'a.more::attr(href)' })).toBe('specs?x=1');
    expect(field({ selector: 'a.more::attr(href)', type: 'url' })).toBe('https://shop.example/boats/specs?x=1');
  });

  it('returns null or an empty list if nothing matches or the value is not of the type', () => {
    expect(readFields({ one: { selector: 'h9' }, all: { selector: '//h9', many: true } }).fields).toEqual({
      one: null,
      all: [],
    });
    expect(field({ selector: 'h1', type: 'number' })).toBeNull();
    expect(field({ selector: 'h1', attribute: 'constructor' })).toBeNull();
    expect(field({ selector: 'a', attribute: 'class', type: 'date' })).toBeNull();
  });

  it('adds a note that names the field if the selector is invalid or not supported', () => {
    const bad = [
      '//a[',
      'a[',
      '//x:y',
      '(1 to 9)',
      '//a/string(.)',
      '//a/(1)',
      '//a[for $x in . return 1]',
      '(//a, doc("file:///etc/passwd"))',
      '//a[matches(., "(a+)+$")]',
    ];
    for (const selector of bad) {
      const { fields, notes } = readFields({ mine: { selector } });
      expect(fields).toEqual({ mine: null });
      expect(notes).toHaveLength(1);
      expect(notes[0]).toContain(`fields.mine: "${selector}"`);
    }
  });

  it('keeps names such as __proto__ as names', () => {
    const { fields } = readFields(JSON.parse('{"__proto__": {"selector": "h1"}}'));
    expect(JSON.stringify(fields)).toBe('{"__proto__":"The Boat"}');
  });

  it('stops in time on hostile pages and expressions, and adds a note', () => {
    const flat = `<main>${'<div class="a"><p>word</p></div>'.repeat(10_000)}</main>`;
    const deep = `${'<div>'.repeat(500)}${'a '.repeat(100)}${'<b>x</b>'.repeat(15_000)}`;
    const costly = ['//*//*//*//*', '//*[. = //*]', '//div//text()'];
    const cpuMs = countCpuMs();
    for (const selector of costly)
      for (const page of [flat, deep]) readFields({ a: { selector, many: true }, b: { selector, type: 'html' } }, page);
    expect(readFields({ a: { selector: '//*[. = //*]' } }, flat).notes[0]).toContain('too costly');
    expect(readFields({ a: { selector: 'div', type: 'html', many: true } }, deep).notes[0]).toContain(
      'exceed the limit of a page',
    );
    expect(readFields({ a: { selector: '//p' } }, flat).fields).toEqual({ a: 'word' });
    expect(readFields({ a: { selector: '//p' } }, '<p>x</p>'.repeat(60_000)).notes[0]).toContain('50000 elements');
    expect(cpuMs()).toBeLessThan(30_000);
  }, 90_000);

  it('never throws, whatever the selector and the type', () => {
    const piece = fc.constantFrom(
      '//',
      '/',
      'a',
      '@href',
      '[',
      ']',
      '(',
      ')',
      'count(',
      'text()',
      '::',
      '|',
      '=',
      '"',
      "'",
      '$x',
      ' to ',
      '1',
      '*',
      '.',
      ',',
    );
    const selector = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 15 }).map((pieces) => `/${pieces.join('')}`),
    );
    const type = fc.constantFrom('string', 'number', 'boolean', 'date', 'url', 'html', 'markdown', 'other');
    fc.assert(
      fc.property(selector, type, fc.boolean(), fc.string(), (requested, kind, many, attribute) => {
        const { fields } = readFields({ it: { selector: requested, type: kind, many, attribute } });
        expect(JSON.parse(JSON.stringify(fields))).toEqual(fields);
      }),
      { numRuns: 300 },
    );
  });
});
