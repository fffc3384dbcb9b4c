import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generateSecret } from '../domain/api-key.ts';
import type { KeyStore } from '../store/key-store.ts';
import { makeAuthenticate } from './authenticate.ts';

/** A store that throws on every access. */
const unavailableStore = new Proxy<KeyStore>(Object.create(null), {
  get: () => {
    throw new Error('the database was queried');
  },
});
const authenticate = makeAuthenticate({ keys: unavailableStore, now: () => new Date() });

describe('authenticate', () => {
  it('refuses a string that is not a well-formed secret without a database query', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), (text) =>
        expect(authenticate(text)).rejects.toMatchObject({ code: 'unauthorized' }),
      ),
    );
  });

  it('refuses a secret with one mistyped character without a database query', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 8, max: 45 }), fc.constantFrom(...'0aZ'), async (at, char) => {
        const secret = generateSecret();
        const typo = `${secret.slice(0, at)}${char}${secret.slice(at + 1)}`;
        fc.pre(typo !== secret);
        await expect(authenticate(typo)).rejects.toMatchObject({ code: 'unauthorized' });
      }),
    );
  });
});
