import { describe, expect, it } from '@jest/globals';
import { isWantedLanguage } from './languages.ts';

describe('languages', () => {
  it('want a language in any of its regions, and a region as its language', () => {
    expect(isWantedLanguage('pt-br', ['pt'])).toBe(true);
    expect(isWantedLanguage('pt', ['pt-BR'])).toBe(true);
    expect(isWantedLanguage('en_GB', ['de', 'EN-gb'])).toBe(true);
    expect(isWantedLanguage('in-ID', ['id'])).toBe(true);
    expect(isWantedLanguage('pt-PT', ['pt-BR'])).toBe(false);
    expect(isWantedLanguage('es', ['pt', 'de'])).toBe(false);
    expect(isWantedLanguage('fil', ['fi'])).toBe(false);
  });

  it('keep a page whose language nobody tells, and every page where none is named', () => {
    expect(isWantedLanguage(undefined, ['de'])).toBe(true);
    expect(isWantedLanguage('', ['de'])).toBe(true);
    expect(isWantedLanguage('en', [])).toBe(true);
  });
});
