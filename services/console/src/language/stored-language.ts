import { LOCALES, type Locale, locale, localeOf } from './locale.ts';

const KEY = 'tidemark-language';

/** Returns the language that was chosen in this browser; undefined: that of the browser. */
export const storedLanguage = (): Locale | undefined => {
  const stored = localStorage.getItem(KEY);
  return LOCALES.find((one) => one === stored);
};

/** Stores the chosen language for the next start; null: that of the browser. @returns whether the texts have to be loaded again */
export function storeLanguage(next: Locale | null): boolean {
  if (next === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  return (next ?? localeOf(navigator.languages)) !== locale;
}
