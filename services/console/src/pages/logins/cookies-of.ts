import type { ExportedCookie, NewLogin } from '@tidemark/sdk';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isCookie = (value: unknown): value is ExportedCookie =>
  isObject(value) && typeof value['name'] === 'string' && typeof value['value'] === 'string';
const areCookies = (value: unknown): value is ExportedCookie[] => Array.isArray(value) && value.every(isCookie);

/**
 * Returns pasted cookies in the form that the route reads: a list or a storage state if the text is JSON of that shape, otherwise the
 * text itself, such as a cookies.txt. The route explains a text that it can not read.
 */
export function cookiesOf(text: string): NewLogin['cookies'] {
  const parsed = parse(text);
  if (areCookies(parsed)) return parsed;
  if (isObject(parsed) && areCookies(parsed['cookies'])) return { cookies: parsed['cookies'] };
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
