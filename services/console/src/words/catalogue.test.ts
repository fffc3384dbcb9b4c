import { describe, expect, it } from '@jest/globals';
import { LOCALES, localeOf } from '../language/locale.ts';
import { plural } from '../language/plural.ts';
import { german } from './de/catalogue.ts';
import { words } from './words.ts';

/** Returns the paths of all texts with their kinds. Parameters of functions are compared by the compiler. */
function pathsOf(texts: object, path = ''): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(texts)) {
    const at = path === '' ? key : `${path}.${key}`;
    if (typeof value === 'object' && value !== null) for (const entry of pathsOf(value, at)) found.set(...entry);
    else found.set(at, typeof value);
  }
  return found;
}

const english = pathsOf(words);
const translated = pathsOf(german);

describe('the catalogues of texts', () => {
  it('have the same keys and kinds in every language', () => {
    const missing = [...english.keys()].filter((path) => !translated.has(path));
    const unknown = [...translated.keys()].filter((path) => !english.has(path));
    const differing = [...translated].filter(([path, kind]) => english.has(path) && english.get(path) !== kind);
    expect({ missing, unknown, differing }).toEqual({ missing: [], unknown: [], differing: [] });
  });

  it('have no empty text', () => {
    const isEmpty = (texts: object): boolean =>
      Object.values(texts).some((value) => (typeof value === 'object' ? isEmpty(value) : value === ''));
    expect([isEmpty(words), isEmpty(german)]).toEqual([false, false]);
  });

  it('are chosen by the first language of the browser that the console has, and are English otherwise', () => {
    expect(LOCALES).toEqual(['en', 'de']);
    expect(localeOf(['fr-FR', 'de-AT', 'en'])).toBe('de');
    expect(localeOf(['en-GB', 'de'])).toBe('en');
    expect(localeOf(['ja'])).toBe('en');
  });

  it('have plural forms for numbers', () => {
    expect([0, 1, 2].map((value) => words.counts.pages(value))).toEqual(['0 pages', '1 page', '2 pages']);
    expect(plural(1_200, { one: 'page', other: 'pages' })).toBe('1,200 pages');
    expect([1, 3].map((value) => german.counts.changes(value))).toEqual(['1 Änderung', '3 Änderungen']);
  });
});
