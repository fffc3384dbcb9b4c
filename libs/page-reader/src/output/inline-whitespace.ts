/** Matches text that escaping or collapsing would change. */
export const NEEDS_WORK = /[\\`*_[\]<>~&|\n\t\r\f\u00a0\u00ad\u200b\ufeff]| {2}/;
// A single space needs no replacement.
export const WHITE = /[\t\n\r\f\u00a0][ \t\n\r\f\u00a0]*| [ \t\n\r\f\u00a0]+/g;
export const INVISIBLE = /[\u00ad\u200b\ufeff]/g;

/** Collapses white space as rendering does: any run becomes one space. */
export const collapseInline = (text: string): string =>
  NEEDS_WORK.test(text) ? text.replace(INVISIBLE, '').replace(WHITE, ' ') : text;
