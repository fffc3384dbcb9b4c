/** Removes what databases can not store in a text: U+0000, and lone surrogates, which have no UTF-8 form. */
export const storableText = (text: string): string => text.replaceAll('\u0000', '').toWellFormed();

/** As `storableText`, for every text and key of a JSON value. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [storableText(key), storable(part)]));
}
