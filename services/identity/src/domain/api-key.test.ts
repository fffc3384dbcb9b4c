import { describe, expect, it } from '@jest/globals';
import { generateSecret, hashSecret, isWellFormed } from './api-key.ts';

describe('API key secret', () => {
  it('is generated with the prefix service_ and a valid checksum', () => {
    const secret = generateSecret();
    expect(secret).toMatch(/^service_[0-9A-Za-z]{38}$/);
    expect(isWellFormed(secret)).toBe(true);
  });

  it('is not well-formed after any single character is changed', () => {
    const secret = generateSecret();
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
  ])('is not well-formed when it is %j', (text) => expect(isWellFormed(text)).toBe(false));

  it('is different each time it is generated, and so is its hash', () => {
    const secrets = Array.from({ length: 500 }, generateSecret);
    expect(new Set(secrets).size).toBe(500);
    expect(new Set(secrets.map((secret) => hashSecret(secret).toString('hex'))).size).toBe(500);
  });
});
