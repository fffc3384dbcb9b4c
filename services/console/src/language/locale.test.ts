import { describe, expect, it } from '@jest/globals';
import * as language from './locale.ts';

describe('the language of the console', () => {
  it('is that of the browser with its region', () => {
    language.setLocale(['fr-FR', 'de-AT', 'en'], undefined);
    expect([language.locale, language.formatLocale]).toEqual(['de', 'de-AT']);
  });

  it('is used without the region where the formats refuse the tag of the browser', () => {
    language.setLocale(['en-US@posix'], undefined);
    expect([language.locale, language.formatLocale]).toEqual(['en', 'en']);
    expect(() => new Intl.NumberFormat(language.formatLocale)).not.toThrow();
  });
});
