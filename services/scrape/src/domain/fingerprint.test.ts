import { describe, expect, it } from '@jest/globals';
import { type Fingerprint, fingerprintKey, startRung, updateFingerprint } from './fingerprint.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const later = (hours: number): Date => new Date(NOW.getTime() + hours * 3_600_000);
const readBy = (rung: string) => ({ readBy: rung, isCheapest: false, startedFromFingerprint: false });

const after = (pages: number): Fingerprint | undefined => {
  let known: Fingerprint | undefined;
  for (let i = 0; i < pages; i += 1) known = updateFingerprint(known, readBy('browser'), NOW);
  return known;
};

describe('host fingerprint', () => {
  it('makes pages start on a dearer rung after three pages in a row needed it', () => {
    expect(startRung(after(2), NOW)).toBeUndefined();
    expect(startRung(after(3), NOW)).toBe('browser');
  });

  it('is removed by the first page that the cheapest rung reads', () => {
    const cheap = { readBy: 'http', isCheapest: true, startedFromFingerprint: false };
    expect(updateFingerprint(after(5), cheap, NOW)).toBeUndefined();
  });

  it('loses half its weight per day', () => {
    expect(startRung(after(4), later(24))).toBeUndefined();
    expect(startRung(after(7), later(24))).toBe('browser');
  });

  it('is tested on every tenth page', () => {
    let known = after(3);
    const begun: (string | undefined)[] = [];
    for (let page = 0; page < 12; page += 1) {
      const rung = startRung(known, NOW);
      begun.push(rung);
      known = updateFingerprint(
        known,
        { readBy: 'browser', isCheapest: false, startedFromFingerprint: rung !== undefined },
        NOW,
      );
    }
    expect(begun.indexOf(undefined)).toBe(10);
    expect(begun[11]).toBe('browser');
  });

  it('is not changed by a page that could not be read', () => {
    const known = after(3);
    expect(updateFingerprint(known, { readBy: undefined, isCheapest: false, startedFromFingerprint: true }, NOW)).toBe(
      known,
    );
  });
});

describe('fingerprintKey', () => {
  it.each([
    ['https://shop.example/', 'shop.example'],
    ['https://shop.example/about', 'shop.example'],
    ['https://shop.example/app/1', 'shop.example/app'],
    ['https://shop.example:8443/app/1?x=2', 'shop.example:8443/app'],
  ])('treats %s like %s', (url, alike) => {
    expect(fingerprintKey(url)).toBe(alike);
  });
});
