/** Removes what databases can not store in a text: U+0000, and lone surrogates, which have no UTF-8 form. */
export function storableText(text: string): string {
  const plain = text.includes('\u0000') ? text.replaceAll('\u0000', '') : text;
  return plain.isWellFormed() ? plain : plain.toWellFormed();
}

/** As `storableText`, for every text and key of a JSON value. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [storableText(key), storable(part)]));
}
