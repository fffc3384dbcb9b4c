import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import fc from 'fast-check';
import { makeExcerpts } from './excerpts.ts';
import { findMatches } from './find-matches.ts';
import { readNeedles } from './needles.ts';
import { searchedText } from './plain-text.ts';
import { MOST_BYTES, makeSketch, makeSketchInTurns, shows } from './sketch.ts';
import { fold, stretches } from './words.ts';

const find = (text: string, query: string) => findMatches(fold(searchedText(text, undefined)), readNeedles(query));
const count = (text: string, query: string) => find(text, query)?.count;
/** Whether a search by sketch alone would look at the page. */
const isCandidate = (text: string, query: string): boolean => {
  const sketch = makeSketch(fold(searchedText(text, undefined)));
  return readNeedles(query).every(({ negated, hashes }) => negated || hashes.every((hash) => shows(sketch, hash)));
};

describe('makeSketchInTurns', () => {
  it('makes the same sketch of a long text, in pieces between which the event loop gets turns', async () => {
    const folded = Array.from({ length: 20_000 }, (_, at) => `wort${at} 漢字${at % 7}かな,`).join(' ');
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const sketch = await makeSketchInTurns(folded, 10_000);
    clearInterval(timer);
    expect(sketch.equals(makeSketch(folded))).toBe(true);
    expect(turns).toBeGreaterThan(0);
  });
});

describe('a search', () => {
  it.each([
    ['The tide turns. TIDE tables; tides', 'tide', 2],
    ['spring\n  **tide** and spring-tide, spring water, tide', '"spring tide"', 2],
    ['Ebb and flow', 'flow ebb', 2],
    ['Ebb and flow', 'flow -ebb', undefined],
    ['Ebb and flow', 'flow -neap', 1],
    ['Ebb alone', 'ebb flow', undefined],
    ['ＦＵＬＬ width and ﬁsh', 'full "width and fish"', 2],
    ['ΟΔΟΣ οδός οδος', 'οδοσ', 2],
    ['今天的潮汐表和潮汐', '潮汐', 2],
    ['今天的潮汐表', '潮', 1],
    ['今天的潮汐表', '汐潮', undefined],
    ['ตารางน้ำขึ้นน้ำลง', 'น้ำขึ้น', 1],
    ['iPhone手机壳', 'iphone 手机', 2],
    ["don't panic", "don't", 1],
    ['see [the tables](https://example.com/neap) here', 'neap', undefined],
    ['see [the tables](https://example.com/neap) here', '"the tables here"', 1],
    ['snake_case and plain', 'case', 1],
    ['naïve cafe\u0301', 'café naïve', 2],
    ['größe', 'grö', undefined],
    ['𠮷野家 and 𠮷', '𠮷野', 1],
  ])('of %j for %s', (text, query, matches) => {
    expect(count(text, query)).toBe(matches);
  });

  it.each([
    ['', 'expected a word'],
    ['- "" --', 'expected a word'],
    ['"open', 'expected a closing "'],
    ['x'.repeat(501), '500 characters at most'],
    [Array.from({ length: 17 }, (_, i) => `w${i}`).join(' '), '16 words'],
  ])('for %j is refused', (query, said) => {
    expect(() => readNeedles(query)).toThrow(said);
  });
});

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const script = fc.constantFrom('tide', 'TIDES', '潮汐', '表', 'น้ำ', 'ﬁn', '한국', 'Ärger', 'x1', '𠮷');
const text = fc
  .array(fc.oneof(words, script), { maxLength: 40 })
  .chain((parts) => fc.constantFrom(' ', '\n', ', ', '').map((between) => parts.join(between)));

describe('a sketch', () => {
  it('never hides a page that says what is searched for', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (written, at, length) => {
        const folded = fold(searchedText(written, undefined));
        const all = [...stretches(folded)];
        const first = all[at % Math.max(all.length, 1)];
        const last = all[Math.min((at % Math.max(all.length, 1)) + (length % 3), all.length - 1)];
        if (first === undefined || last === undefined) return;
        const phrase = folded.slice(first.from, last.to).replaceAll('"', ' ');
        const query = `"${phrase}"`;
        if (query.length > 400 || findMatches(folded, readNeedles(query)) === undefined) return;
        expect(isCandidate(written, query)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('hides nearly every page that does not say it, and is no larger than a row may be', () => {
    const page = (seed: number) =>
      Array.from({ length: 600 }, (_, i) => `w${(seed * 7919 + i * 104_729) % 50_000}`).join(' ');
    const pages = Array.from({ length: 400 }, (_, i) => makeSketch(fold(page(i))));
    const [needle] = readNeedles('absent');
    const shown = pages.filter((sketch) => needle?.hashes.every((hash) => shows(sketch, hash))).length;
    expect(shown).toBeLessThan(10);
    const huge = Array.from({ length: 100_000 }, (_, i) => `w${i}`).join(' ');
    expect(makeSketch(huge)).toHaveLength(MOST_BYTES);
    expect(isCandidate(huge, 'w99999')).toBe(true);
  });
});

describe('an excerpt', () => {
  it('is one line of what is around a match, which its marks point at', () => {
    const written = `${'before '.repeat(40)}\n\nthe   Spring\ttide ${'after '.repeat(40)} and a tide`;
    const plain = searchedText(written, undefined);
    const excerpts = makeExcerpts(plain, find(written, '"spring tide"')?.places ?? []);
    expect(excerpts).toHaveLength(1);
    const [{ text: line = '', marks = [] } = {}] = excerpts;
    expect(line.slice(marks[0], marks[1])).toBe('Spring tide');
    expect(line).not.toMatch(/\s\s|\n/);
    expect(line.length).toBeLessThan(220);
  });

  it('has its marks where the words are, whatever the text', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const folded = fold(searchedText(`${before} needle ${after} needle`, undefined));
        const places = findMatches(folded, readNeedles('needle'))?.places ?? [];
        for (const { text: line, marks } of makeExcerpts(folded, places)) {
          expect(marks.length % 2).toBe(0);
          for (let i = 0; i < marks.length; i += 2) expect(line.slice(marks[i], marks[i + 1])).toBe('needle');
        }
      }),
    );
  });
});

describe('hostile text', () => {
  it.each(['[', '](', '](( ', '*_', '<http:', '\\', '|', '#', '"', ' ', '\ufdfa', 'needle'])(
    'of nothing but %j is searched in a moment',
    (piece) => {
      const written = piece.repeat(Math.floor(1_000_000 / piece.length));
      const cpuMs = countCpuMs();
      const folded = fold(searchedText(written, undefined));
      makeSketch(folded);
      findMatches(folded, readNeedles('needle "needle needle" -absent'));
      expect(cpuMs()).toBeLessThan(3_000);
    },
  );
});

describe('the title of a page', () => {
  it('is searched with its text, once where the text begins with it', () => {
    const times = (title: string, markdown: string, query: string): number =>
      findMatches(fold(searchedText(markdown, title)), readNeedles(query))?.count ?? 0;
    expect(times('The harbour', 'Boats return.', 'harbour')).toBe(1);
    expect(times('The harbour', '# The harbour\n\nBoats return.', 'harbour')).toBe(1);
    expect(times('The harbour', 'Boats return.', '"harbour boats"')).toBe(1);
  });
});
