import { describe, expect, it } from '@jest/globals';
import { type Fingerprint, learn, likeness, rungToBeginOn } from './fingerprint.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const later = (hours: number): Date => new Date(NOW.getTime() + hours * 3_600_000);
const readBy = (rung: string) => ({ readBy: rung, isCheapest: false, begunRemembered: false });

const after = (pages: number): Fingerprint | undefined => {
  let known: Fingerprint | undefined;
  for (let i = 0; i < pages; i += 1) known = learn(known, readBy('browser'), NOW);
  return known;
};

describe('what is remembered of a host', () => {
  it('makes pages begin on a dearer rung once three in a row needed it', () => {
    expect(rungToBeginOn(after(2), NOW)).toBeUndefined();
    expect(rungToBeginOn(after(3), NOW)).toBe('browser');
  });

  it('is forgotten with the first page that the cheapest rung reads', () => {
    const cheap = { readBy: 'http', isCheapest: true, begunRemembered: false };
    expect(learn(after(5), cheap, NOW)).toBeUndefined();
  });

  it('fades: a day old it is worth half', () => {
    expect(rungToBeginOn(after(4), later(24))).toBeUndefined();
    expect(rungToBeginOn(after(7), later(24))).toBe('browser');
  });

  it('is put to the test every tenth page', () => {
    let known = after(3);
    const begun: (string | undefined)[] = [];
    for (let page = 0; page < 12; page += 1) {
      const rung = rungToBeginOn(known, NOW);
      begun.push(rung);
      known = learn(known, { readBy: 'browser', isCheapest: false, begunRemembered: rung !== undefined }, NOW);
    }
    expect(begun.indexOf(undefined)).toBe(10);
    expect(begun[11]).toBe('browser');
  });

  it('is not changed by a page that nobody could read', () => {
    const known = after(3);
    expect(learn(known, { readBy: undefined, isCheapest: false, begunRemembered: true }, NOW)).toBe(known);
  });
});

describe('pages alike', () => {
  it.each([
    ['https://shop.example/', 'shop.example'],
    ['https://shop.example/about', 'shop.example'],
    ['https://shop.example/app/1', 'shop.example/app'],
    ['https://shop.example:8443/app/1?x=2', 'shop.example:8443/app'],
  ])('%s is like others of %s', (url, alike) => {
    expect(likeness(url)).toBe(alike);
  });
});
