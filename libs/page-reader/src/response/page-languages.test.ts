import { describe, expect, it } from '@jest/globals';
import { isAcceptedLanguage } from './page-languages.ts';

describe('isAcceptedLanguage', () => {
  it('accepts a language in any of its regions, and a region as its language', () => {
    expect(isAcceptedLanguage('pt-br', ['pt'])).toBe(true);
    expect(isAcceptedLanguage('pt', ['pt-BR'])).toBe(true);
    expect(isAcceptedLanguage('en_GB', ['de', 'EN-gb'])).toBe(true);
    expect(isAcceptedLanguage('in-ID', ['id'])).toBe(true);
    expect(isAcceptedLanguage('pt-PT', ['pt-BR'])).toBe(false);
    expect(isAcceptedLanguage('es', ['pt', 'de'])).toBe(false);
    expect(isAcceptedLanguage('fil', ['fi'])).toBe(false);
  });

  it('accepts a page of unknown language, and every page if no language is requested', () => {
    expect(isAcceptedLanguage(undefined, ['de'])).toBe(true);
    expect(isAcceptedLanguage('', ['de'])).toBe(true);
    expect(isAcceptedLanguage('en', [])).toBe(true);
  });
});
