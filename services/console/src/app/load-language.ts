import { locale, setLocale } from '../language/locale.ts';
import { storedLanguage } from '../language/stored-language.ts';
import { setTranslation } from '../words/translation.ts';

/** Loads the texts of the chosen language. */
export async function loadLanguage(): Promise<void> {
  setLocale(navigator.languages, storedLanguage());
  document.documentElement.lang = locale;
  if (locale === 'de') setTranslation((await import('../words/de/catalogue.ts')).german);
}
