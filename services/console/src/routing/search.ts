/** Readers of search parameters. A value of another type is left out, so that no URL breaks a page. */
type Given = Readonly<Record<string, unknown>>;

export const textIn = (search: Given, name: string): string | undefined => {
  const value = search[name];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export const oneOf = <T extends string>(search: Given, name: string, values: readonly T[]): T | undefined =>
  values.find((value) => value === search[name]);

export const flagIn = (search: Given, name: string): true | undefined => (search[name] === true ? true : undefined);
