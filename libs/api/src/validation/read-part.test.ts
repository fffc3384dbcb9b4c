import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { FORMATS } from '@tidemark/project-config';
import fc from 'fast-check';
import { readPart, routes } from '../index.ts';
import { Formats } from '../schemas/page.ts';

const { startScrape, createKey, listScrapes, patchMe, startMap } = routes;
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

describe('readPart with invalid input', () => {
  it.each([
    [startScrape.body, { url: 5 }, 'body', ['url'], /^url: /],
    [startScrape.body, { url: 'ftp://example.com/' }, 'body', ['url'], /^url: .*http/],
    [startScrape.body, { url, timeout: 0 }, 'body', ['timeout'], /^timeout: /],
    [
      startScrape.body,
      { url, timeout: '60' },
      'body',
      ['timeout'],
      /^timeout: expected a whole number from 1 to 120, got "60"$/,
    ],
    [
      startScrape.body,
      { url, formats: 'markdown,pdf' },
      'body',
      ['formats'],
      /^formats: unknown format "pdf"; expected/,
    ],
    [
      startScrape.body,
      { url, config: { max_tier: 'rocket' } },
      'body',
      ['config', 'max_tier'],
      /^config\.max_tier: .*"browser"/,
    ],
    [startMap.body, { url, search: 'a\0b' }, 'body', ['search'], /^search: contains a NUL character/],
    [startScrape.body, { url, config: { ['a\0']: 1 } }, 'body', ['config', 'a\0'], /^config has no field/],
    [listScrapes.query, { cursor: 'a\0b' }, 'query', ['cursor'], /^cursor: contains a NUL character/],
    [startScrape.body, { url, config: { colour: 1 } }, 'body', ['config', 'colour'], /^config has no field "colour"$/],
    [startScrape.body, { url, speed: 1, noise: 2 }, 'body', ['speed'], /^the body has no field "speed", "noise"$/],
    [
      startScrape.body,
      { url, scrapeOptions: { onlyMainContent: 'yes' } },
      'body',
      ['scrapeOptions', 'onlyMainContent'],
      /: expected true or false, got "yes"$/,
    ],
    [startScrape.body, [], 'body', [], /^body: .*object/],
    [startScrape.body, null, 'body', [], /^body: .*object/],
    [listScrapes.query, { limit: 'ten' }, 'query', ['limit'], /^limit: /],
    [listScrapes.query, { limit: '1001' }, 'query', ['limit'], /^limit: .*1000/],
    [listScrapes.query, { page: '2' }, 'query', ['page'], /^the query has no field "page"$/],
    [createKey.body, { name: '   ' }, 'body', ['name'], /^name: /],
    [
      createKey.body,
      { name: 'a\u0000b' },
      'body',
      ['name'],
      /^name: expected one line without control characters, got "a.*b"$/,
    ],
    [createKey.body, { name: 'a\nb' }, 'body', ['name'], /^name: /],
    [createKey.body, { name: 'a\u2028b' }, 'body', ['name'], /^name: /],
    [createKey.body, { name: 'a', scopes: ['root'] }, 'body', ['scopes', 0], /^scopes\.0: /],
    [createKey.body, { name: 'a', projects: ['mine'] }, 'body', ['projects', 0], /^projects\.0: expected a project id/],
    [patchMe.body, { max_rpm: 1.5 }, 'body', ['max_rpm'], /^max_rpm: /],
  ] as const)('names the invalid field in the message (%#)', (schema, value, where, loc, message) => {
    const error = refusal(() => readPart(schema, value, where));
    expect(error).toMatchObject({ code: 'validation', httpStatus: 422, message: expect.stringMatching(message) });
    expect(error.detail?.[0]).toMatchObject({ loc: [where, ...loc], type: expect.any(String) });
  });

  it('reports all invalid fields at once', () => {
    const { detail } = refusal(() => readPart(startScrape.body, { url: 5, timeout: 0, maxCredits: 0, x: 1 }, 'body'));
    expect(detail?.map(({ loc }) => loc.join('.'))).toEqual(['body.url', 'body.timeout', 'body.maxCredits', 'body.x']);
  });
});

describe('readPart with any input', () => {
  const schemas = Object.entries(routes).flatMap(([name, { body, query, params }]) => [
    [`${name} body`, body] as const,
    [`${name} query`, query] as const,
    [`${name} params`, params] as const,
  ]);

  it.each(schemas)('returns a value or throws an AppError for the schema of %s', (_, schema) => {
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
          // Thrown as it is, and shown by fast-check: a call of expect for each value takes most of the test's time.
          if (!(error instanceof AppError && error.code === 'validation')) throw error;
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('Formats', () => {
  const read = (value: unknown) => readPart(Formats, value, 'body');

  it('accepts a list or text and returns each format once in the given order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...FORMATS), { minLength: 1, maxLength: 12 }), (names) => {
        const once = [...new Set(names)];
        expect(read(names)).toEqual(once);
        expect(read(names.join(','))).toEqual(once);
        expect(read(` ${names.join(' , ')},`)).toEqual(once);
      }),
    );
  });

  it.each(['', ' , ', [], ['']])('rejects input without a format: %j', (value) => {
    expect(refusal(() => read(value)).message).toContain('no format is given; expected markdown');
  });

  it.each(['Markdown', 'html', ['markdown', 'toString']])('names unknown formats: %j', (value) => {
    expect(refusal(() => read(value)).message).toMatch(/unknown format "(Markdown|html|toString)"/);
  });

  it.each([7, null, {}, [7]])('states what is expected if the input is not text', (value) => {
    expect(refusal(() => read(value)).message).toContain('expected formats separated by commas');
  });

  it('rejects text of more than 200 characters in bounded time', () => {
    expect(refusal(() => read('markdown,'.repeat(30))).message).toMatch(/expected at most 200 characters, got 270$/);
  });
});
