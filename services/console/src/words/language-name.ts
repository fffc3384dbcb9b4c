import { locale } from '../language/locale.ts';

/** Returns the name of a language by its BCP 47 tag, such as `German`; the tag where it is none. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames([locale], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
