import { InvalidArgumentError } from 'commander';

/** Reads a whole number of at least `min`. */
export const wholeNumber =
  (min: number) =>
  (text: string): number => {
    if (!/^\d{1,9}$/.test(text) || Number(text) < min)
      throw new InvalidArgumentError(`Expected a whole number from ${min}.`);
    return Number(text);
  };

/** Collects the values of an option that can be given several times, or separated by commas. */
export const list = (text: string, previous: readonly string[] = []): string[] => [
  ...previous,
  ...text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
];

/** Collects `key=value` settings. The value is read as JSON if it is JSON, otherwise as text. */
export function setting(text: string, previous: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const [, key, value = ''] = /^([\w.-]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined) throw new InvalidArgumentError('Expected KEY=VALUE, such as max_pages=100.');
  return { ...previous, [key]: jsonOr(value) };
}

/** Returns the value of a text that is JSON, otherwise the text. */
export function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Settings from several KEY=VALUE arguments. */
export const settingsOf = (pairs: readonly string[]): Record<string, unknown> =>
  pairs.reduce<Record<string, unknown>>((all, pair) => setting(pair, all), {});
