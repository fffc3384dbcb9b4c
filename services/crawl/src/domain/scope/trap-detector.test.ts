import { describe, expect, it } from '@jest/globals';
import { RunTraps } from './run-traps.ts';
import { patternOf, TrapDetector, trapIn } from './trap-detector.ts';

const YEAR = 2026;

describe('a URL by itself', () => {
  it.each([
    'https://a.test/events/2051/04',
    'https://a.test/events?date=2099-01',
    'https://a.test/cal?year=1750',
    'https://a.test/x/y/x/y/x/y/x/y',
    'https://a.test/?a=1&a=2&a=3&a=4',
    `https://a.test${'/d'.repeat(3)}${Array.from({ length: 40 }, (_, i) => `/s${i}`).join('')}`,
  ])('%s is a trap', (url) => {
    expect(trapIn(url, YEAR)).toEqual(expect.any(String));
  });

  it.each([
    'https://a.test/1996/05/old-news',
    'https://a.test/2027/01',
    'https://a.test/products/3500/details',
    'https://a.test/en/docs/en/api',
    'https://a.test/?tag=a&tag=b',
    'https://a.test/shop?year=2020&page=9',
  ])('%s is none', (url) => {
    expect(trapIn(url, YEAR)).toBeUndefined();
  });
});

describe('a pattern', () => {
  it('folds numbers and codes, and leaves out the values of parameters', () => {
    expect(patternOf('https://a.test/p/12/v3?b=1&a=2')).toBe('/p/#/v#?a&b');
    expect(patternOf('https://a.test/s/0123456789abcdef0123/x')).toBe('/s/*/x');
  });

  it.each([
    ['a calendar', (i: number) => `https://a.test/cal/${i}`, '/cal/#'],
    ['a session', (i: number) => `https://a.test/page?token=${i}`, '/page?token'],
    ['a code in every link', (i: number) => `https://a.test/${(i + 2 ** 40).toString(16).padStart(20, 'a')}`, '/*'],
  ])('that leads only to itself is cut off after some hundred URLs and reported: %s', (_, url, pattern) => {
    const detector = new TrapDetector();
    const traps = new RunTraps([]);
    let followed = 0;
    for (let i = 1; i < 5_000; i += 1) {
      const trap = detector.trapOf({ url: url(i + 1), depth: i }, YEAR);
      if (trap !== undefined) {
        traps.cut(trap.pattern, 1, trap.why);
        continue;
      }
      followed += 1;
      detector.note(url(i), [url(i - 1), url(i + 1), 'https://a.test/'], [url(i + 1)]);
    }
    expect(followed).toBe(500);
    expect(traps.changed).toEqual([{ pattern, urls: 4_499, why: expect.stringMatching(/led only to more/) }]);
  });

  it('of a long list of real pages is not: what lists name, and pages that lead elsewhere', () => {
    const detector = new TrapDetector();
    for (let page = 1; page <= 2_000; page += 1) {
      const items = Array.from({ length: 10 }, (_, i) => `https://a.test/item/${page * 10 + i}`);
      const next = `https://a.test/list?page=${page + 1}`;
      expect(detector.trapOf({ url: next, depth: page }, YEAR)).toBeUndefined();
      detector.note(`https://a.test/list?page=${page}`, [next, ...items], [next, ...items]);
      for (const url of items) {
        expect(detector.trapOf({ url, depth: page }, YEAR)).toBeUndefined();
        detector.note(url, [], []);
      }
    }
  });

  it('that all URLs of a site share is not cut off, because its pages link to each other', () => {
    const detector = new TrapDetector();
    const url = (i: number) => `https://a.test/index.php?id=${i}`;
    for (let i = 1; i <= 10_000; i += 1) {
      const menu = Array.from({ length: 8 }, (_, item) => url(item + 1));
      expect(detector.trapOf({ url: url(i + 1), depth: 5 }, YEAR)).toBeUndefined();
      detector.note(url(i), [...menu, url(i + 1)], [url(i + 1)]);
    }
  });

  it('of a tree of numbered pages is not, deep as sites are', () => {
    const detector = new TrapDetector();
    for (let i = 1; i <= 8_000; i += 1) {
      const below = [`https://a.test/p${i * 2}`, `https://a.test/p${i * 2 + 1}`];
      for (const url of below)
        expect(detector.trapOf({ url, depth: Math.ceil(Math.log2(i + 1)) }, YEAR)).toBeUndefined();
      detector.note(`https://a.test/p${i}`, below, below);
    }
  });

  it('is remembered in bounded number, however many there are', () => {
    const detector = new TrapDetector();
    for (let i = 0; i < 20_000; i += 1) {
      detector.note(`https://a.test/w${'x'.repeat(i % 97)}${i}/a${i}b${'y'.repeat(i % 89)}`, [], []);
    }
  });
});
