import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import fc from 'fast-check';
import { FORMATS, readPart, routes } from './index.ts';
import { Formats } from './schemas/page.ts';

const { startScrape, createKey, listScrapes, patchMe } = routes;
const url = 'https://example.com/';

function refusal(run: () => unknown): AppError {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}

describe('a part of a request that is wrong', () => {
  it.each([
    [startScrape.body, { url: 5 }, 'body', ['url'], /^url: /],
    [startScrape.body, { url: 'ftp://example.com/' }, 'body', ['url'], /^url: .*http/],
    [startScrape.body, { url, timeout: 0 }, 'body', ['timeout'], /^timeout: /],
    [startScrape.body, { url, timeout: '60' }, 'body', ['timeout'], /^timeout: .*number/],
    [
      startScrape.body,
      { url, formats: 'markdown,pdf' },
      'body',
      ['formats'],
      /^formats: there is no format "pdf"; there are/,
    ],
    [
      startScrape.body,
      { url, config: { max_tier: 'rocket' } },
      'body',
      ['config', 'max_tier'],
      /^config\.max_tier: .*"browser"/,
    ],
    [startScrape.body, { url, config: { colour: 1 } }, 'body', ['config', 'colour'], /^config has no field "colour"$/],
    [startScrape.body, { url, speed: 1, noise: 2 }, 'body', ['speed'], /^the body has no field "speed", "noise"$/],
    [
      startScrape.body,
      { url, scrapeOptions: { onlyMainContent: 'yes' } },
      'body',
      ['scrapeOptions', 'onlyMainContent'],
      /boolean/,
    ],
    [startScrape.body, [], 'body', [], /^body: .*object/],
    [startScrape.body, null, 'body', [], /^body: .*object/],
    [listScrapes.query, { limit: 'ten' }, 'query', ['limit'], /^limit: /],
    [listScrapes.query, { limit: '1001' }, 'query', ['limit'], /^limit: .*1000/],
    [listScrapes.query, { page: '2' }, 'query', ['page'], /^the query has no field "page"$/],
    [createKey.body, { name: '   ' }, 'body', ['name'], /^name: /],
    [createKey.body, { name: 'a\u0000b' }, 'body', ['name'], /^name: a name holds no NUL$/],
    [createKey.body, { name: 'a', scopes: ['root'] }, 'body', ['scopes', 0], /^scopes\.0: /],
    [createKey.body, { name: 'a', projects: ['mine'] }, 'body', ['projects', 0], /^projects\.0: expected a project id/],
    [patchMe.body, { max_rpm: 1.5 }, 'body', ['max_rpm'], /^max_rpm: /],
  ] as const)('is refused by a message that names the field (%#)', (schema, value, where, loc, message) => {
    const error = refusal(() => readPart(schema, value, where));
    expect(error).toMatchObject({ code: 'validation', httpStatus: 422, message: expect.stringMatching(message) });
    expect(error.detail?.[0]).toMatchObject({ loc: [where, ...loc], type: expect.any(String) });
  });

  it('is refused for all its faults at once', () => {
    const { detail } = refusal(() => readPart(startScrape.body, { url: 5, timeout: 0, maxCredits: 0, x: 1 }, 'body'));
    expect(detail?.map(({ loc }) => loc.join('.'))).toEqual(['body.url', 'body.timeout', 'body.maxCredits', 'body.x']);
  });
});

describe('reading any part by any schema', () => {
  const schemas = Object.entries(routes).flatMap(([name, { body, query, params }]) => [
    [`${name} body`, body] as const,
    [`${name} query`, query] as const,
    [`${name} params`, params] as const,
  ]);

  it.each(schemas)('answers with a value or throws an AppError, never anything else: %s', (_, schema) => {
    const known = fc.constantFrom(
      'url',
      'formats',
      'timeout',
      'config',
      'limit',
      'cursor',
      'name',
      'scopes',
      'id',
      '__proto__',
    );
    const value = fc.oneof(fc.anything(), fc.dictionary(known, fc.anything()), fc.jsonValue());
    fc.assert(
      fc.property(value, (given) => {
        try {
          readPart(schema, given, 'body');
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          expect(error).toMatchObject({ code: 'validation' });
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('formats', () => {
  const read = (value: unknown) => readPart(Formats, value, 'body');

  it('are read alike from a list and from text, in the order asked, each once', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...FORMATS), { minLength: 1, maxLength: 12 }), (names) => {
        const once = [...new Set(names)];
        expect(read(names)).toEqual(once);
        expect(read(names.join(','))).toEqual(once);
        expect(read(` ${names.join(' , ')},`)).toEqual(once);
      }),
    );
  });

  it.each(['', ' , ', [], ['']])('that name none are refused: %j', (value) => {
    expect(refusal(() => read(value)).message).toContain('no format was named; there are markdown');
  });

  it.each(['Markdown', 'html', ['markdown', 'toString']])('that don’t exist are refused by name: %j', (value) => {
    expect(refusal(() => read(value)).message).toMatch(/there is no format "(Markdown|html|toString)"/);
  });

  it.each([7, null, {}, [7]])('that are no text at all are refused with what is expected', (value) => {
    expect(refusal(() => read(value)).message).toContain('expected formats separated by commas');
  });

  it('of any length are read in bounded time: text beyond 200 characters is refused by its length', () => {
    expect(refusal(() => read('markdown,'.repeat(30))).message).toMatch(/<=200 characters/);
  });
});
