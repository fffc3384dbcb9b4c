import { describe, expect, it } from '@jest/globals';
import { checkPassword } from './password-rules.ts';

const owner = { email: 'anneliese.meyer@example.com', name: 'Anneliese Meyer' };
const accepts = (password: string): boolean => {
  try {
    checkPassword(password, owner, 12);
    return true;
  } catch {
    return false;
  }
};

describe('checkPassword', () => {
  it.each(['correct horse battery', 'zwölf Bögen im Wind', '💧🔥🌊🍃 and four words', 'x7#qLm29vTzR'])(
    'accepts %s',
    (password) => {
      expect(accepts(password)).toBe(true);
    },
  );

  it.each([
    ['too short', 'short'],
    ['longer than 256 characters', 'ab1'.repeat(100)],
    ['a common password with a year', 'Password1!2024'],
    ['a common password in leet', 'P@ssw0rd!!!!'],
    ['the own name', 'AnnelieseMeyer1'],
    ['the own address', 'anneliese.meyer@example.com'],
    ['the product', 'tidemark-2026'],
    ['few characters repeated', 'ababababababab'],
  ])('refuses one that is %s', (_, password) => {
    expect(accepts(password)).toBe(false);
  });
});
