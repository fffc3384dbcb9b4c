import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import fc from 'fast-check';
import type { ContentOptions } from '../options/content-options.ts';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { type OutputFormat, type PageReading, readPage } from '../page/read-page.ts';

const ALL: ReadonlySet<OutputFormat> = new Set(['markdown', 'text', 'cleanHtml', 'links']);
const read = (html: string, content: Partial<ContentOptions>): PageReading =>
  readPage({ html, url: 'https://site.example/', content: { ...USUAL_CONTENT, ...content }, outputs: ALL });

const prose = '<p>The harbour was quiet that morning, and the boats, tied up two by two, hardly moved at all.</p>';
const page = `<header><nav class="top"><a href="/a">Home</a> <a href="/b">Shop</a></nav></header>
  <article><h1>Boats</h1>${prose.repeat(4)}<div class="promo" data-kind="ad">Buy a boat today</div></article>
  <aside class="facts"><nav><a href="/f">All facts</a></nav><p>Built in 1921</p></aside><footer>Imprint</footer>`;

describe('include_selectors', () => {
  it('are the content, in document order, even inside chrome', () => {
    const { text, markdown, words, notes } = read(page, { includeSelectors: ['footer', '.facts', '.facts p'] });
    expect(text).toBe('All facts\n\nBuilt in 1921\n\nImprint');
    expect(markdown).toBe('[All facts](https://site.example/f)\n\nBuilt in 1921\n\nImprint');
    expect(words).toBe(6);
    expect(notes).toEqual([]);
  });

  it('fall back to the usual content with a note if nothing matches or only hidden elements match', () => {
    const usual = read(page, {});
    const none = read(page, { includeSelectors: ['.absent'] });
    expect(none.text).toBe(usual.text);
    expect(none.notes).toEqual(['include_selectors matched nothing: the usual content was read']);
    const hidden = read(`${page}<div hidden class="x">secret</div>`, { includeSelectors: ['.x'] });
    expect(hidden.text).toBe(usual.text);
    expect(hidden.notes[0]).toContain('only hidden or excluded');
  });

  it('write matched items and cells as lists and tables, and keep inline matches apart', () => {
    const html =
      '<ol><li>one</li><li>two</li></ol><table><tr><td>a</td><td>b</td></tr></table><b class=x>left</b><b class=x>right</b>';
    expect(read(html, { includeSelectors: ['li'] }).markdown).toBe('1. one\n2. two');
    expect(read(html, { includeSelectors: ['td'] }).markdown).toMatch(/\| a \| b \|/);
    expect(read(html, { includeSelectors: ['tr'] }).text).toBe('a\tb');
    expect(read(html, { includeSelectors: ['.x'] }).text).toBe('left\n\nright');
    expect(read(html, { includeSelectors: ['html'] }).text).toContain('one');
  });

  it('do not change the verdict, which is based on the whole page', () => {
    expect(read(page, { includeSelectors: ['h1'] }).evidence.mainWords).toBe(read(page, {}).evidence.mainWords);
  });
});

describe('exclude_selectors', () => {
  it('omit elements from every output and from the word count, of the main content and of the whole page', () => {
    for (const onlyMainContent of [true, false]) {
      const kept = read(page, { onlyMainContent });
      const { text, markdown, cleanHtml, words } = read(page, {
        onlyMainContent,
        excludeSelectors: ['[data-kind=ad]'],
      });
      for (const form of [text, markdown, cleanHtml]) expect(form).not.toContain('Buy a boat');
      expect(text).toContain('The harbour');
      expect(words).toBeLessThanOrEqual(kept.words);
    }
    expect(read(page, { onlyMainContent: false, excludeSelectors: ['body'] }).text).toBe('');
    expect(read(page, { excludeSelectors: ['article', 'p'] }).text).not.toContain('harbour');
  });

  it('take precedence over include_selectors', () => {
    const { text } = read(page, { includeSelectors: ['.facts'], excludeSelectors: ['.facts nav'] });
    expect(text).toBe('Built in 1921');
  });
});

describe('selectors from callers', () => {
  it('are named in a note and change nothing if they are invalid, too long or too deep', () => {
    const bad = [
      'div[',
      '',
      '::before',
      'a:has(b:has(c))',
      'a:not(:has(b))',
      'p:hover(',
      'p:unknown',
      '> p',
      'svg|a',
      'a || b',
    ];
    bad.push('p '.repeat(60), `.${'a'.repeat(1_000)}`, 'li:nth-child(2 of .x)');
    const usual = read(page, {});
    for (const selector of bad) {
      const { text, notes } = read(page, { excludeSelectors: [selector] });
      expect(text).toBe(usual.text);
      expect(notes).toHaveLength(1);
      expect(notes[0]).toContain(`exclude_selectors: "${selector.slice(0, 80)}`);
    }
  });

  it('are abandoned if they take too long on a page, and the page is still read', () => {
    const flat = `<main>${'<div><p>w</p></div>'.repeat(20_000)}</main>`;
    const deep = `${'<div>'.repeat(500)}${'<b>x</b>'.repeat(15_000)}`;
    const cpuMs = countCpuMs();
    for (const selector of ['*:has(~ x)', '*:has(> x)', '* ~ * ~ * ~ x', ':nth-last-child(2n)', '*:contains("zzz")'])
      for (const html of [flat, deep]) expect(read(html, { excludeSelectors: [selector] }).words).toBeGreaterThan(0);
    expect(read(flat, { excludeSelectors: ['*:has(~ x)'] }).notes[0]).toContain('too costly');
    expect(cpuMs()).toBeLessThan(20_000);
  });

  it('never throw for any input', () => {
    const piece = fc.constantFrom(
      'div',
      '.promo',
      '#x',
      '[',
      ']',
      ':has(',
      ':not(',
      ')',
      '>',
      '~',
      '+',
      ' ',
      ',',
      '*',
      '"',
      '::',
      '\\',
      'nth-child(2n',
    );
    const selector = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(fc.array(selector, { maxLength: 4 }), fc.array(selector, { maxLength: 4 }), (include, exclude) => {
        read(page, { includeSelectors: include, excludeSelectors: exclude });
      }),
      { numRuns: 200 },
    );
  });

  it('never add words to the whole page', () => {
    const selector = fc.constantFrom(
      'p',
      'nav',
      'a',
      'div',
      'article',
      '.facts',
      'footer',
      'h1 + p',
      'body',
      ':not(p)',
      'x',
    );
    const whole = read(page, { onlyMainContent: false }).words;
    fc.assert(
      fc.property(fc.array(selector, { maxLength: 3 }), fc.array(selector, { maxLength: 3 }), (include, exclude) => {
        const options = { onlyMainContent: false, includeSelectors: include, excludeSelectors: exclude };
        expect(read(page, options).words).toBeLessThanOrEqual(whole);
      }),
      { numRuns: 100 },
    );
  });
});
