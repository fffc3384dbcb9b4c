import { formatLocale, locale } from './locale.ts';

const numbers = new Intl.NumberFormat(formatLocale);
const plurals = new Intl.PluralRules(locale);

/** The forms of a noun by the plural categories of the language (Unicode CLDR). */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** Returns a number with the form of its noun. */
export const plural = (value: number, forms: PluralForms): string =>
  `${numbers.format(value)} ${forms[plurals.select(value)] ?? forms.other}`;
