/** Languages of the console. The first is the one that the texts are written in. */
export const LOCALES = ['en', 'de'] as const;
export type Locale = (typeof LOCALES)[number];

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

/** The language of the texts. It is set before any module that reads texts or formats is loaded, and fixed afterwards. */
export let locale: Locale = LOCALES[0];

/** The language with the region of the browser, such as `de-AT`: formats of numbers and dates differ by region. */
export let formatLocale: string = locale;

/** Sets the language: the chosen one, or the first of the browser that the console has. */
export function setLocale(languages: readonly string[], chosen: Locale | undefined): void {
  locale = chosen ?? localeOf(languages);
  formatLocale = languages.find((tag) => languageOf(tag) === locale && isTag(tag)) ?? locale;
}

/** Whether the formats of the browser accept a tag: Chromium derives `en-US@posix` from the environment, which is none (BCP 47). */
function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
