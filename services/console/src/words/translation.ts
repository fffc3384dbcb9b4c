import type { Catalogue } from './en/catalogue.ts';

/**
 * The texts of another language; undefined for English. They are set before any module that reads texts is loaded, because modules read them when they
 * are evaluated. A catalogue imports types and `language/` only: importing a page from it would evaluate that page too early.
 */
let translation: Catalogue | undefined;

export function setTranslation(texts: Catalogue): void {
  translation = texts;
}

/** Returns texts in the chosen language. */
export const translated = <Texts extends object>(english: Texts): Texts => ({ ...english, ...translation });
