/** Clients resolve dot segments, however they are escaped: these are escaped twice. */
const DOTS = /^(?:\.|%2e){1,2}$/i;

/** Encodes text for a path or a query. Lone surrogates have no UTF-8 form: they become a byte that is not UTF-8. */
export function encoded(text: string): string {
  if (!text.isWellFormed()) return '%ff';
  return encodeURIComponent(DOTS.test(text) ? text.replaceAll('.', '%2e') : text);
}
