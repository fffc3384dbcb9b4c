import { locale } from './locale.ts';
import type { Catalogue } from './words.ts';

/**
 * The texts of another language; empty for English. They are loaded before any module that reads texts, because modules read them when they are
 * evaluated. A catalogue imports types and `format.ts` only: importing a page from it would evaluate that page too early.
 */
let translation: Partial<Catalogue> = {};

/** Loads the catalogue of the chosen language. */
export async function loadTranslation(): Promise<void> {
  document.documentElement.lang = locale;
  if (locale === 'de') translation = (await import('./de/catalogue.ts')).german;
}

/** Returns texts in the chosen language. An area without a translation is shown in English. */
export const translated = <Texts extends object>(english: Texts): Texts => ({ ...english, ...translation });
