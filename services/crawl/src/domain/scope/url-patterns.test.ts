import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import fc from 'fast-check';
import { RE2Set } from 're2js';
import { CompiledPatterns } from './compiled-patterns.ts';
import { expressionSize } from './expression-size.ts';
import { compilePatterns, faultIn, MAX_LIST_SIZE } from './url-patterns.ts';

/** Pieces of RE2 syntax whose random sequences include every construct, and many syntax errors. */
const PIECES = [
  'a',
  'b',
  'é',
  '😀',
  '-',
  ',',
  '<',
  '>',
  '.',
  '^',
  '$',
  '|',
  ')',
  '(',
  '(?:',
  '(?i)',
  '(?s:',
  '(?P<n>',
  '(?<m>',

  '*',
  '+',
  '?',
  '{2}',
  '{0,3}',
  '{2,}',
  '{01}',
  '{,2}',
  '{0}',
  '{',
  '}',
  '[',
  ']',
  '[^',
  '[]a]',
  '[a-z]',
  '[:alpha:]',
  '[[:^digit:]b]',
  '\\',
  '\\d',
  '\\b',
  '\\pL',
  '\\p{Greek}',
  '\\x{41}',
  '\\x41',
  '\\101',
  '\\Q',
  '\\E',
];

/** Instructions of an expression as the engine compiles it; undefined if it is invalid. */
function compiledSize(expression: string): number | undefined {
  const set = new RE2Set();
  try {
    set.add(expression);
  } catch {
    return undefined;
  }
  set.compile();
  return set.prog.numInst();
}

const BOMBS = [
  (i: number) => `re:(.{0,500}){0,1}a<${i}>(.*a){9}`,
  (i: number) => `re:((((a{30}){30}){30}){30}${i}`,
  (i: number) => `re:(\\pL{1000}${i}`,
  (i: number) => `re:(?i)[a-\\x{1e943}b-\\x{1e943}c-\\x{1e943}d-\\x{1e943}e-\\x{1e943}]${i}`,
  (i: number) => `re:${'(?i)[\\pL\\pN\\pM]'.repeat(20)}${i}`,
  (i: number) => `re:${'a?'.repeat(50)}${'a'.repeat(50)}${i}{1000}`,
];
const listOf = (pattern: (i: number) => string): string[] => Array.from({ length: 200 }, (_, i) => pattern(i));

describe('expressionSize', () => {
  it('is never less than the number of instructions that the engine compiles', () => {
    const expression = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(expression, (text) => {
        const compiled = compiledSize(text);
        // The engine adds one instruction that fails and one that matches.
        return compiled === undefined || compiled <= expressionSize(text) + 2;
      }),
      { numRuns: 20_000 },
    );
  });

  it('multiplies counted repetitions without compiling them', () => {
    expect(expressionSize('(?:(?:(?:a{1000}){1000}){1000}){1000}')).toBeGreaterThan(1e11);
    expect(expressionSize('a'.repeat(50))).toBeLessThanOrEqual(52);
    expect(expressionSize('\\x{100}[[:alpha:]][]{9}]')).toBeLessThanOrEqual(8);
  });
});

describe('faultIn', () => {
  it.each(BOMBS.map((pattern) => ({ pattern: pattern(0), patterns: listOf(pattern) })))(
    'refuses 200 patterns such as $pattern before it compiles them',
    ({ patterns }) => {
      const cpuMs = countCpuMs();
      const heapBefore = process.memoryUsage().heapUsed;
      expect(faultIn(patterns)).toEqual({
        at: expect.any(Number),
        reason: expect.stringMatching(/instructions when compiled/),
      });
      expect(cpuMs()).toBeLessThan(1_000);
      expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(32 * 1024 * 1024);
    },
  );

  it('names the largest pattern of a list that is too large', () => {
    const patterns = [...Array.from({ length: 50 }, (_, i) => `/section-${i}/*`), 're:(.{0,1000}){0,20}', '/last'];
    expect(faultIn(patterns)).toMatchObject({ at: 50 });
  });

  it('accepts 200 ordinary patterns in each list', () => {
    const globs = listOf((i) => `/products/category-${i}/season-${i % 4}/**`);
    const expressions = listOf((i) => `re:^/(?:de|fr|en)/articles/\\d{4}/\\d{2}/[a-z0-9-]{1,40}-${i}$`);
    const hosts = listOf((i) => `https://www.example.com/department-${i}/{list,detail}/*.html`);
    expect([globs, expressions, hosts].map(faultIn)).toEqual([undefined, undefined, undefined]);
  });

  it('compiles only lists that take little time and memory, whatever the patterns are', () => {
    const pattern = fc.oneof(
      fc
        .array(fc.constantFrom(...PIECES, '{40}', '{0,300}', '.*'), { minLength: 1, maxLength: 60 })
        .map((some) => `re:${some.join('')}`),
      fc.constantFrom(...BOMBS).chain((bomb) => fc.nat(9).map((i) => bomb(i).replaceAll(/\d{2,}/g, '9'))),
      fc.webPath().map((path) => `${path}/*`),
    );
    const list = fc.array(pattern, { minLength: 1, maxLength: 200, size: 'max' });
    fc.assert(
      fc.property(list, (patterns) => {
        const cpuMs = countCpuMs();
        const accepted = faultIn(patterns) === undefined;
        const rules = accepted ? compilePatterns(patterns) : undefined;
        rules?.match(new URL('https://example.com/a/b'));
        return cpuMs() < 3_000;
      }),
      { numRuns: 60 },
    );
  });
});

describe('CompiledPatterns', () => {
  const MIB = 1024 * 1024;

  it('compiles equal lists once and shares the automaton', () => {
    const lists = new CompiledPatterns(64 * MIB);
    const first = lists.get('a', ['^/a'], 10);
    expect([lists.get('a', ['^/a'], 10) === first, lists.compilations]).toEqual([true, 1]);
  });

  it('compiles a list whose size is not a whole number', () => {
    const size = expressionSize('(?i)[a-c]+');
    expect(Number.isInteger(size)).toBe(false);
    expect(new CompiledPatterns(64 * MIB).get('a', ['(?i)[a-c]+'], size)('B')).toEqual([0]);
  });

  it('keeps its memory below the limit by evicting the lists that were not used for longest', () => {
    const lists = new CompiledPatterns(4 * MIB);
    for (let i = 0; i < 20; i += 1) lists.get(`list ${i}`, [`^/${i}`], MAX_LIST_SIZE / 10);
    expect(lists.bytes).toBeLessThanOrEqual(4 * MIB);
    expect(lists.get('list 0', ['^/0'], MAX_LIST_SIZE / 10)('/0')).toEqual([0]);
    expect(lists.compilations).toBe(21);
  });
});
