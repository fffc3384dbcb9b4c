import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { makeAuthenticate } from './authenticate.ts';
import { mintSecret } from './domain/api-key.ts';
import type { KeyStore } from './store/key-store.ts';

/** A store that must not be asked. */
const untouchable = new Proxy<KeyStore>(Object.create(null), {
  get: () => {
    throw new Error('the database was asked');
  },
});
const authenticate = makeAuthenticate({ keys: untouchable, now: () => new Date() });

it('refuses what is no secret of ours without asking the database', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), (text) =>
      expect(authenticate(text)).rejects.toMatchObject({ code: 'unauthorized' }),
    ),
  );
});

it('refuses a secret with one character mistyped without asking the database', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 8, max: 45 }), fc.constantFrom(...'0aZ'), async (at, char) => {
      const secret = mintSecret();
      const typo = `${secret.slice(0, at)}${char}${secret.slice(at + 1)}`;
      fc.pre(typo !== secret);
      await expect(authenticate(typo)).rejects.toMatchObject({ code: 'unauthorized' });
    }),
  );
});
