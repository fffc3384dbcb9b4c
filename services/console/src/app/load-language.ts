import { LOCALES, type Locale, locale, localeOf, setLocale } from '../language/locale.ts';
import { setTranslation } from '../words/translation.ts';

const KEY = 'tidemark-language';

/** Returns the language that was chosen in this browser; undefined: that of the browser. */
const storedLanguage = (): Locale | undefined => {
  const stored = localStorage.getItem(KEY);
  return LOCALES.find((one) => one === stored);
};

/** Loads the texts of the chosen language. */
export async function loadLanguage(): Promise<void> {
  setLocale(navigator.languages, storedLanguage());
  document.documentElement.lang = locale;
  if (locale === 'de') setTranslation((await import('../words/de/catalogue.ts')).german);
}

/** Stores the chosen language for the next start; null: that of the browser. @returns whether the texts have to be loaded again */
export function storeLanguage(next: Locale | null): boolean {
  if (next === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  return (next ?? localeOf(navigator.languages)) !== locale;
}
