/**
 * Reads of a caught value, which may be anything, and which may be an `Error` of another realm (a worker, a test's sandbox),
 * where `instanceof` says no.
 */
function text(error: unknown, field: 'code' | 'name' | 'message'): string {
  if (typeof error !== 'object' || error === null || !(field in error)) return '';
  const value: unknown = Reflect.get(error, field);
  return typeof value === 'string' ? value : '';
}

/** A system's, driver's or library's own code, such as `ENOENT`; empty where there is none. */
export const codeOf = (error: unknown): string => text(error, 'code');

/** The error's class, such as `NoSuchKey`; empty where there is none. */
export const nameOf = (error: unknown): string => text(error, 'name');

/** What the error says. */
export const messageOf = (error: unknown): string => text(error, 'message') || String(error);
