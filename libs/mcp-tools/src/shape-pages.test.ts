import { describe, expect, it } from '@jest/globals';
import type { PageRow } from '@tidemark/sdk';
import { BODY_CHARS, cut, EXCERPT_CHARS, EXCERPTS, INDEX_ROWS, shapePage, shapePages } from './shape-pages.ts';

const row = (given: Partial<PageRow> = {}): PageRow => ({
  id: 'cap_1',
  url: 'https://a.example/',
  askedUrl: 'https://a.example/',
  httpStatus: 200,
  status: 'done',

  verdict: 'ok',
  errorCode: 'OK',
  shape: null,
  warnings: [],
  signals: [],
  reason: '',
  method: 'http',

  tier: 'http',
  climbedTo: null,
  credits: 1,
  billedAs: null,
  words: 1,
  language: 'en',
  title: 'A',

  widget: null,
  solved: null,
  exitBytes: 0,
  redirects: [],
  charset: null,
  timingsMs: {},

  crawledAt: '2026-01-01T00:00:00.000Z',
  product: null,
  fields: null,
  screenshot: null,
  head: null,
  ...given,
});

describe('shapePages', () => {
  it('returns an index of at most 500 pages with link counts, and marks that pages were left out', () => {
    const link = { url: 'https://a.example/b', text: 'b', kind: 'internal' };
    const { pages, truncated } = shapePages(Array.from({ length: INDEX_ROWS + 1 }, () => row({ links: [link, link] })));
    expect(pages).toHaveLength(INDEX_ROWS);
    expect(pages[0]).toMatchObject({ links: 2, verdict: 'ok' });
    expect(truncated).toBe(true);
  });

  it('gives the characters that short pages leave to the following pages', () => {
    const short = Array.from({ length: EXCERPTS - 4 }, () => row({ markdown: 'short' }));
    const long = Array.from({ length: 4 }, () => row({ markdown: 'x'.repeat(100_000) }));
    const { excerpts = [] } = shapePages([...short, ...long]);
    expect(excerpts.slice(-4).map(({ untrusted_text }) => untrusted_text.length)).toEqual([
      BODY_CHARS,
      BODY_CHARS,
      BODY_CHARS,
      BODY_CHARS,
    ]);
  });

  it('shares the budget among fifty long pages', () => {
    const { excerpts = [] } = shapePages(Array.from({ length: 60 }, () => row({ markdown: 'x'.repeat(100_000) })));
    expect(excerpts).toHaveLength(EXCERPTS);
    expect(excerpts.every(({ untrusted_text }) => untrusted_text.length === EXCERPT_CHARS / EXCERPTS)).toBe(true);
  });
});

describe('shapePage', () => {
  it('returns every body up to its limit, and the size of fields that exceed it', () => {
    const shaped = shapePage(row({ markdown: 'y'.repeat(BODY_CHARS + 1), fields: { long: 'z'.repeat(BODY_CHARS) } }));
    expect(shaped.bodies).toEqual({
      markdown: { untrusted_text: 'y'.repeat(BODY_CHARS), characters: BODY_CHARS + 1, truncated: true },
    });
    expect(shaped.page).toMatchObject({ fieldsOmitted: expect.any(Number) });
  });
});

describe('shapePage with an extraction', () => {
  const extraction = { model: 'small', inputTokens: 100, outputTokens: 10, cached: false, truncated: false };

  it('returns the values of the model, or why there are none', () => {
    expect(shapePage(row({ extracted: { price: 12 }, extraction, extractError: null })).page).toMatchObject({
      extracted: { price: 12 },
      extraction,
    });
    const extractError = { code: 'invalid' as const, message: 'price: is required' };
    expect(shapePage(row({ extracted: null, extraction, extractError })).page).toMatchObject({ extractError });
  });
});

describe('cut', () => {
  it('does not split a surrogate pair', () => {
    expect(cut('a😀b', 2)).toBe('a');
    expect(cut('a😀b', 3)).toBe('a😀');
    expect(cut('ab', 2)).toBe('ab');
  });
});
