/** Reads a field of a caught value. Works for an `Error` of another realm (worker, Jest sandbox), for which `instanceof` is false. */
function text(error: unknown, field: 'code' | 'name' | 'message'): string {
  if (typeof error !== 'object' || error === null || !(field in error)) return '';
  const value: unknown = Reflect.get(error, field);
  return typeof value === 'string' ? value : '';
}

/** Returns the code of a system, driver or library error, such as `ENOENT`; empty if there is none. */
export const codeOf = (error: unknown): string => text(error, 'code');

/** Returns the name of the error's class, such as `NoSuchKey`; empty if there is none. */
export const nameOf = (error: unknown): string => text(error, 'name');

/** Returns the error's message, or the value as text if it has none. */
export const messageOf = (error: unknown): string => text(error, 'message') || String(error);
