import { formatLocale, locale } from './locale.ts';

let formats: { readonly numbers: Intl.NumberFormat; readonly plurals: Intl.PluralRules } | undefined;

/** Made at the first use: the language is chosen after this module is evaluated. */
function formatsOf() {
  formats ??= { numbers: new Intl.NumberFormat(formatLocale), plurals: new Intl.PluralRules(locale) };
  return formats;
}

/** The forms of a noun by the plural categories of the language (Unicode CLDR). */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** Returns a number with the form of its noun. */
export function plural(value: number, forms: PluralForms): string {
  const { numbers, plurals } = formatsOf();
  return `${numbers.format(value)} ${forms[plurals.select(value)] ?? forms.other}`;
}

/** Returns the function that writes a number with its noun, for nouns with two forms. */
export const counted =
  (one: string, other: string) =>
  (value: number): string =>
    plural(value, { one, other });
