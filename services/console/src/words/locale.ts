/** Languages of the console. The first is the one that the texts are written in. */
export const LOCALES = ['en', 'de'] as const;
export type Locale = (typeof LOCALES)[number];

const KEY = 'tidemark-language';

const languageOf = (tag: string): Locale | undefined =>
  LOCALES.find((locale) => tag.toLowerCase().split('-')[0] === locale);

/** Returns the first language of a browser that the console has. */
export function localeOf(languages: readonly string[]): Locale {
  for (const tag of languages) {
    const found = languageOf(tag);
    if (found !== undefined) return found;
  }
  return LOCALES[0];
}

/** Languages of the browser, best first. Tests of Node have neither storage nor a chosen language. */
const browserLanguages: readonly string[] = typeof document === 'undefined' ? [] : navigator.languages;
const stored = typeof document === 'undefined' ? null : localStorage.getItem(KEY);

/** The language that was chosen in this browser; undefined: that of the browser. */
export const chosenLocale: Locale | undefined = LOCALES.find((locale) => locale === stored);

/** The language of the texts. It is fixed until the page is loaded again. */
export const locale: Locale = chosenLocale ?? localeOf(browserLanguages);

/** The language with the region of the browser, such as `de-AT`: formats of numbers and dates differ by region. */
export const formatLocale: string = browserLanguages.find((tag) => languageOf(tag) === locale) ?? locale;

/** Stores the language of the account for the next start. @returns whether the texts have to be loaded again */
export function storeLocale(next: Locale | null): boolean {
  if (next === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  return (next ?? localeOf(browserLanguages)) !== locale;
}
