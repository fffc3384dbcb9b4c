import { describe, expect, it } from '@jest/globals';
import { hashSecret, isWellFormed, mintSecret } from './api-key.ts';

describe('API key secrets', () => {
  it('begin with service_ and carry a checksum that verifies', () => {
    const secret = mintSecret();
    expect(secret).toMatch(/^service_[0-9A-Za-z]{38}$/);
    expect(isWellFormed(secret)).toBe(true);
  });

  it('with any one character changed are told apart without a database', () => {
    const secret = mintSecret();
    for (let i = 8; i < secret.length; i += 1) {
      const other = secret[i] === 'a' ? 'b' : 'a';
      expect(isWellFormed(secret.slice(0, i) + other + secret.slice(i + 1))).toBe(false);
    }
  });

  it.each([
    '',
    'service_',
    'service_short',
    `fc-${'a'.repeat(38)}`,
    `service_${'!'.repeat(38)}`,
    `service_${'a'.repeat(500)}`,
  ])('are never of the shape %j', (text) => expect(isWellFormed(text)).toBe(false));

  it('are all different, and so are their hashes', () => {
    const secrets = Array.from({ length: 500 }, mintSecret);
    expect(new Set(secrets).size).toBe(500);
    expect(new Set(secrets.map((secret) => hashSecret(secret).toString('hex'))).size).toBe(500);
  });
});
