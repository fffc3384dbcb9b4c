import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BlockHash, hashesOf } from './block-hash.ts';

const hex = (text: string, links: string[] = []): string => hashesOf(text, links).hash.toString('hex');

describe('hashesOf', () => {
  it('returns the same hash on every machine and in every release, as stored hashes require', () => {
    expect(new BlockHash().digest().toString('hex')).toBe('cbf29ce484222325');
    expect(new BlockHash().add('a').digest().toString('hex')).toBe('af63dc4c8601ec8c');
    expect(hex('Seen 1,204 times', ['https://a.example/'])).toBe('dcd5b0be5777aeed');
  });

  it('computes the published function: http://www.isthe.com/chongo/tech/comp/fnv/', () => {
    const pair = fc.tuple(fc.nat(0xffff), fc.nat(0xffff));
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 20 }), (pairs) => {
        const text = pairs.map(([one, other]) => String.fromCharCode(one, other)).join('');
        const steps = pairs.map(([one, other]) => BigInt(one) | (BigInt(other) << 16n));
        const sum = steps.reduce((at, step) => BigInt.asUintN(64, (at ^ step) * 0x100000001b3n), 0xcbf29ce484222325n);
        expect(new BlockHash().add(text).digest().readBigUInt64BE()).toBe(sum);
      }),
    );
  });

  it('differs for similar input: digits, order, text instead of link', () => {
    const figures = Array.from({ length: 100_000 }, (_, figure) => hex(`Seen ${figure} times`));
    expect(new Set(figures).size).toBe(100_000);
    const alike = [hex('ab'), hex('ba'), hex('a', ['b']), hex('a', ['b', '']), hex('a', ['', 'b']), hex('a')];
    expect(new Set(alike).size).toBe(alike.length);
  });

  it('hashes the text apart from the links', () => {
    const [one, other] = [hashesOf('read it', ['https://a.example/1']), hashesOf('read it', ['https://a.example/2'])];
    expect(one.hash).not.toEqual(other.hash);
    expect(one.textHash).toEqual(other.textHash);
    expect(hashesOf('read it', [])).toEqual({ hash: one.textHash, textHash: undefined });
  });

  it.each([
    ['before a comma', 'free , and', 'free, and'],
    ['before a full stop', 'kept safe .', 'kept safe.'],
    ['inside brackets', 'fee ( see below )', 'fee (see below)'],
  ])('ignores a space %s', (_, spaced, plain) => {
    expect(hex(spaced)).toBe(hex(plain));
  });

  it('folds compatibility forms and nothing else', () => {
    expect(hex('cafe\u0301 ﬁne')).toBe(hex('caf\u00e9 fine'));
    expect(hex('café')).not.toBe(hex('cafe'));
  });
});
