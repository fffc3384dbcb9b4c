import { TidemarkError } from './errors.ts';

/** Control characters, and halves of surrogate pairs, which have no UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse.
const UNSENDABLE = /[\u0000-\u001f\u007f]|\p{Surrogate}/u;

/** Returns why a value is no segment of a path; undefined: it is one. */
function faultOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return 'it is missing';
  const text = String(value);
  if (text === '') return 'it is empty';
  // URL parsers resolve these segments, encoded or not: the request would reach another route (WHATWG URL, 4.4).
  if (text === '.' || text === '..') return 'it is a dot segment, which changes the path';
  return UNSENDABLE.test(text) ? 'it contains a control character' : undefined;
}

/** Fills the parameters of a path such as `/projects/{id}`, each as one encoded segment. @throws TidemarkError invalid_path */
export function fillPath(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const fault = faultOf(values[name]);
    if (fault === undefined) return encodeURIComponent(String(values[name]));
    throw new TidemarkError({
      code: 'invalid_path',
      message: `the value of ${name} in ${template} is refused: ${fault}`,
    });
  });
}
