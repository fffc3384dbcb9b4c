import { BRAND_CHARS, IDENTIFIER_CHARS, SKU_CHARS, SKU_WORDS } from './thresholds.ts';
/** Returns the digits of a GTIN if its check digit is valid: https://www.gs1.org/services/how-calculate-check-digit-manually */
export function validGtin(value: string | undefined): string | undefined {
  if (value === undefined || value.length > IDENTIFIER_CHARS) return undefined;
  const digits = value.replace(/[\s-]/g, '');
  if (!/^(?:\d{8}|\d{12,14})$/.test(digits) || /^0+$/.test(digits)) return undefined;
  const sum = [...digits].reverse().reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0 ? digits : undefined;
}

/** Returns an identifier of a shop if the text may be one: short, on one line, neither a sentence nor a URL. */
export function validSku(value: string | undefined): string | undefined {
  const text = value?.trim();
  if (text === undefined || text === '' || text.length > SKU_CHARS) return undefined;
  if (/^(?:null|undefined|none|n\/?a|nan|-+|0+|true|false)$/i.test(text)) return undefined;
  return /[\n<>{}]|:\/\//.test(text) || text.split(/\s+/).length > SKU_WORDS ? undefined : text;
}

/** Returns the name of a brand if the text may be one. */
export function validBrand(value: string | undefined): string | undefined {
  const text = value?.replace(/\s+/g, ' ').trim();
  if (text === undefined || text === '' || text.length > BRAND_CHARS) return undefined;
  return /^(?:null|undefined|none|n\/?a|nan|-+|no brand|unknown)$/i.test(text) || /^https?:/i.test(text)
    ? undefined
    : text;
}
