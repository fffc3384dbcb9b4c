const INTERFACE = /^export interface (\w+) \{\n([\s\S]*?)^\}/gm;
const FIELD = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(\w+)\?:\s+(?:\| )?string\s+\| undefined;/g;

/**
 * Rewrites a generated file so that an optional text whose comment says what "Absent" means is never empty: an empty text is encoded and
 * decoded as absent. A column that holds '' for no value can so be the value of a field. Texts with two such values are unchanged: their
 * comment says what "Empty" means too, or that an absent field leaves the stored value unchanged.
 */
export function withoutEmptyTexts(source: string): string {
  let rewritten = source;
  for (const [, message = '', body = ''] of source.matchAll(INTERFACE)) {
    const fields = [...body.matchAll(FIELD)].flatMap(([, comment = '', name = '']) =>
      hasOneEmptyValue(comment) ? [name] : [],
    );
    if (fields.length > 0) rewritten = rewritten.replace(codeOf(message), (code) => withFields(code, fields));
  }
  return rewritten;
}

const hasOneEmptyValue = (comment: string): boolean =>
  /\b[Aa]bsent:/.test(comment) && !/\b[Ee]mpty\b|\bunchanged\b|\bno change\b/.test(comment);

const codeOf = (message: string): RegExp =>
  new RegExp(`^export const ${message}: MessageFns<${message}> = \\{\\n[\\s\\S]*?^\\};`, 'm');

function withFields(code: string, fields: readonly string[]): string {
  const names = fields.join('|');
  const encode = new RegExp(`if \\(message\\.(${names}) !== undefined\\) \\{(?=\\n +writer\\.)`, 'g');
  const decode = new RegExp(`message\\.(${names}) = reader\\.string\\(\\);`, 'g');
  return code
    .replace(encode, 'if (message.$1 !== undefined && message.$1 !== "") {')
    .replace(decode, 'message.$1 = reader.string() || undefined;');
}
