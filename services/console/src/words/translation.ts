import type { Catalogue } from './en/catalogue.ts';

/**
 * The texts of another language; empty for English. They are set before any module that reads texts is loaded, because modules read them when they
 * are evaluated. A catalogue imports types and `language/` only: importing a page from it would evaluate that page too early.
 */
let translation: Partial<Catalogue> = {};

export function setTranslation(texts: Partial<Catalogue>): void {
  translation = texts;
}

/** Returns texts in the chosen language. An area without a translation is shown in English. */
export const translated = <Texts extends object>(english: Texts): Texts => ({ ...english, ...translation });
