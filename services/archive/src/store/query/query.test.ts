import { describe, expect, it } from '@jest/globals';
import { compiled as compiledSql, sql } from '@tidemark/sql';
import fc from 'fast-check';
import { compileQuery } from './compile.ts';
import { FIELDS } from './fields.ts';
import { pageSets } from './page-sets.ts';
import { type Condition, parseQuery } from './parse.ts';
import { MAX_QUERY_CHARS } from './tokenize.ts';

const only = (query: string): Condition => {
  const [condition, ...more] = parseQuery(query);
  if (condition === undefined || more.length > 0) throw new Error(`${query} is not one condition`);
  return condition;
};
const compiled = (query: string) => {
  const { sql: text, parameters } = compiledSql(sql`${sql.join(compileQuery(parseQuery(query)), sql` AND `)}`);
  return { sql: text, values: parameters };
};
/** The error of an invalid query. */
const refusal = (query: string): string => {
  try {
    parseQuery(query);
  } catch (error) {
    if (error instanceof Error && 'detail' in error && Array.isArray(error.detail)) return error.detail[0]?.msg;
    throw error;
  }
  throw new Error(`${query} was read`);
};

describe('a query', () => {
  it('is read term by term: fields, comparisons, negations, phrases and words', () => {
    expect(parseQuery('status:403 depth:>2 -lang:en "exact phrase" tides')).toMatchObject([
      { negated: false, field: { name: 'httpStatus' }, tests: [{ kind: 'number', compare: '=', value: '403' }] },
      { negated: false, field: { name: 'depth' }, tests: [{ kind: 'number', compare: '>', value: '2' }] },
      { negated: true, field: { name: 'language' }, tests: [{ kind: 'equals', value: 'en' }] },
      { negated: false, field: undefined, tests: [{ kind: 'matches', pattern: 'exact phrase' }] },
      { negated: false, field: undefined, tests: [{ kind: 'matches', pattern: 'tides' }] },
    ]);
  });

  it('matches every page if it is empty', () => {
    expect([parseQuery(''), parseQuery('  \t ')]).toEqual([[], []]);
  });

  it.each([
    ['words:>=10', [{ kind: 'number', compare: '>=', value: '10' }]],
    ['words:<10', [{ kind: 'number', compare: '<', value: '10' }]],
    ['product.price:>=9.99', [{ kind: 'number', compare: '>=', value: '9.99' }]],
    ['product.price:-1.5..100', [{ kind: 'numbers', from: '-1.5', to: '100' }]],
    ['words:10..20', [{ kind: 'numbers', from: '10', to: '20' }]],
    ['status:403,404,500..599', [{ value: '403' }, { value: '404' }, { kind: 'numbers', from: '500', to: '599' }]],
    [
      'verdict:OK,Thin',
      [
        { kind: 'equals', value: 'ok' },
        { kind: 'equals', value: 'thin' },
      ],
    ],
    ['orphan:true', [{ kind: 'is', value: true }]],
    ['inSitemap:no', [{ kind: 'is', value: false }]],
    ['orphan:none', [{ kind: 'none' }]],
    ['title:"none"', [{ kind: 'matches', pattern: 'none' }]],
    ['url:/blog/*', [{ kind: 'matches', pattern: '/blog/*', hasGlobs: true }]],
    ['title:"a * b"', [{ kind: 'matches', pattern: 'a * b', hasGlobs: false }]],
    ['signals:"http 403",captcha', [{ pattern: 'http 403' }, { pattern: 'captcha' }]],
  ])('such as %s says what it means', (query, tests) => {
    expect(only(query).tests).toMatchObject(tests);
  });

  it.each([
    ['crawledAt:2026-01-31', '2026-01-31T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ['crawledAt:>2026-01-31', '2026-02-01T00:00:00.000Z', undefined],
    ['crawledAt:>=2026-01-31', '2026-01-31T00:00:00.000Z', undefined],
    ['crawledAt:<2026-01-31', undefined, '2026-01-31T00:00:00.000Z'],
    ['crawledAt:<=2026-01-31', undefined, '2026-02-01T00:00:00.000Z'],
    ['crawledAt:2026-01-01..2026-01-31', '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ['crawledAt:>=2026-01-31T10:30', '2026-01-31T10:30:00.000Z', undefined],
    ['crawledAt:"2026-01-31 10:30:15+02:00"', '2026-01-31T08:30:15.000Z', '2026-01-31T08:30:16.000Z'],
  ])('such as %s means a span of time in UTC', (query, from, before) => {
    const [test] = only(query).tests;
    const range = test?.kind === 'time' ? [test.from?.toISOString(), test.before?.toISOString()] : [];
    expect(range).toEqual([from, before]);
  });

  it.each([
    ['depth:>two', 'column 7: expected a whole number for depth'],
    ['verdict:fine', 'column 9: expected one of ok, thin, blocked'],
    ['a b colour:blue', 'column 5: there is no field "colour"'],
    ['-colour:blue', 'column 2: there is no field "colour"'],
    ['https://example.com', 'column 1: there is no field "https"'],
    ['title:', 'column 7: expected a value after title:'],
    [':blue', 'column 1: expected the name of a field'],
    ['words "tide', 'column 7: expected a closing "'],
    ['title:"tide', 'column 7: expected a closing "'],
    ['title:"a"b', 'column 10: expected a space'],
    ['"a"b', 'column 4: expected a space'],
    ['a"b"', 'column 2: expected a space before "'],
    ['""', 'column 1: expected something between the quotes'],
    ['tide -', 'column 7: expected a word'],
    ['status:1,,2', 'column 10: expected a value'],
    ['status:1,', 'column 10: expected a value'],
    ['orphan:maybe', 'column 8: expected true, false or none for orphan'],
    ['crawledAt:yesterday', 'column 11: expected a date for crawledAt'],
    ['crawledAt:2026-02-30', 'column 11: expected a date for crawledAt'],
    ['words:1..', 'column 7: expected a whole number for words'],
    ['words:99999999999999999999', 'column 7: expected a whole number for words'],
    ['a\0b', 'column 2: expected text'],
    ['x'.repeat(MAX_QUERY_CHARS + 1), `column ${MAX_QUERY_CHARS + 1}: expected ${MAX_QUERY_CHARS} characters at most`],
    ['a '.repeat(33), 'column 65: expected 32 terms at most'],
    [`status:${'1,'.repeat(50)}1`, 'column 108: expected 50 values at most'],
  ])('such as %j is refused, with what was expected and where', (query, said) => {
    expect(refusal(query)).toContain(said);
  });

  it('either is read or says at which of its columns it can not be', () => {
    const pieces = fc.constantFrom(
      '-',
      '"',
      ':',
      ',',
      '..',
      '>',
      '<=',
      '*',
      ' ',
      'url',
      'status',
      'orphan',
      'none',
      'crawledAt',
      '5',
      '2026-01-01',
      'é',
      '\\',
    );
    const query = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(query, (text) => {
        try {
          compiled(text);
        } catch (error) {
          const [, column] = /column (\d+): expected|column (\d+): there is no field/.exec(String(error)) ?? [];
          const at = Number(column ?? /column (\d+)/.exec(String(error))?.[1]);
          expect(at).toBeGreaterThanOrEqual(1);
          expect(at).toBeLessThanOrEqual(text.length + 1);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a compiled query', () => {
  it('holds none of what was written in its text: values are parameters, whatever they are', () => {
    const value = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((text) => !/["\0]/.test(text) && text.trim() !== '');
    fc.assert(
      fc.property(value, value, (first, second) => {
        const one = compiled(`title:"${first}" "${first}" origin:"${first}"`);
        const other = compiled(`title:"${second}" "${second}" origin:"${second}"`);
        expect(one.sql).toBe(other.sql);
      }),
    );
  });

  it('matches letters that mean something to LIKE as themselves', () => {
    expect(compiled('title:"50%_\\"').values).toEqual(['%50\\%\\_\\\\%']);
    expect(compiled('url:/a_b/**').values).toEqual(['/a\\_b/%']);
  });

  it('meets pages of which a field is not known only where it is negated', () => {
    expect(compiled('-lang:en').sql).toMatch(/IS NOT TRUE$/);
    expect(compiled('lang:en').sql).toMatch(/IS TRUE$/);
  });

  it.each(FIELDS.map((field) => [field.name, field] as const))('filters by %s, and by its absence', (name, field) => {
    const value = {
      number: '5',
      decimal: '9.99',
      boolean: 'true',
      date: '2026-01-01',
      word: field.oneOf?.[0] ?? 'x',
      text: 'x',
      url: 'x',
      list: 'x',
    }[field.kind];
    expect(compiled(`${name}:${value}`).sql).toContain(field.sql);
    expect(compiled(`${name.toUpperCase()}:none`).sql).toContain(field.sql);
  });

  it('has no condition without a verdict and a set, and one for each', () => {
    expect(pageSets(undefined, undefined)).toEqual([]);
    expect(pageSets('blocked', 'dead_end')).toHaveLength(2);
  });
});
