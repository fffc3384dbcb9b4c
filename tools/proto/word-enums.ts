/** How the words of an enum are written in code. `code`: as its numbers, for enums that are parts of compact keys. */
type Style = 'lower' | 'upper' | 'pascal' | 'camel' | 'dotted' | 'code';

/** Enums whose words are not lower case with underscores. */
const STYLES: Readonly<Record<string, Style>> = {
  // Codes of the REST interface are upper case.
  ErrorCode: 'upper',
  // Names of https://schema.org/ItemAvailability
  Availability: 'pascal',
  // Names of the REST interface: `cleanHtml`, `run.finished`.
  PageFormat: 'camel',
  ProjectEvent: 'dotted',
  // Parts of the keys by which diff finds the places of blocks.
  Landmark: 'code',
  BlockKind: 'code',
};

const ENUM =
  /export const (\w+) = \{\n([\s\S]*?)\n\} as const;\n\nexport type \1 = .+\n\nexport namespace \1 \{[\s\S]*?\n\}\n\nexport function (\w+)FromJSON[\s\S]*?\n\}\n\nexport function \w+ToJSON[\s\S]*?\n\}\n\nexport function \w+ToNumber[\s\S]*?\n\}/g;
const MEMBER = /^( {2})([A-Z][A-Z0-9_]*): "\2",$/gm;
const BASE = /function createBase(\w+)\(\): \1 \{[\s\S]*?\n\}/g;
const DECODE =
  /(\n {2}decode\(input: BinaryReader \| Uint8Array, length\?: number\): (\w+) \{[\s\S]*?)(\n {6}return message;\n {4}\} finally)/g;

/** Path of the functions that generated files call, seen from a generated file. */
const SUPPORT = '../../../../word-enum.ts';

/**
 * Rewrites a generated file so that enums are the words of the specification: `STOP_REASON_PAGE_LIMIT` becomes `page_limit`. The zero value
 * (`…_UNSPECIFIED`) is not part of the type: a message that lacks the value of a field that is not `optional`, or has an unknown number,
 * is refused when it is decoded.
 */
export function withWords(source: string): string {
  const required = new Map<string, string[]>();
  const rewritten = source
    .replace(ENUM, (_, name: string, members: string, prefix: string) => enumWithWords(name, members, prefix))
    .replace(BASE, (base: string, message: string) => {
      const fields = [...base.matchAll(new RegExp(`(\\w+): ${ZERO}`, 'g'))].flatMap(({ 1: field, 2: name }) =>
        field === undefined || isCode(name) ? [] : [field],
      );
      required.set(message, fields);
      return base;
    })
    .replace(DECODE, (_, start: string, message: string, end: string) => {
      const checks = (required.get(message) ?? []).map(
        (field) => `\n      if (message.${field} === undefined) absent("${message}.${field}");`,
      );
      return start + checks.join('') + end;
    })
    .replace(new RegExp(`(!== |\\?\\? |: )${ZERO}`, 'g'), (zero: string, before: string, name: string) => {
      if (isCode(name)) return zero;
      return before === '!== ' ? '!== undefined' : `${before}unset()`;
    })
    .replace(/(: T extends \{\} \? \{ \[K in keyof T\]\?: DeepPartial<T\[K\]> \})$/gm, '$1 & Pick<T, StateKeys<T>>');
  const used = ['absent', 'type StateKeys', 'unset', 'WordEnum'].filter((name) =>
    new RegExp(`\\b${name.replace('type ', '')}[(<]`).test(rewritten),
  );
  if (used.length === 0) return source;
  return rewritten.replace(/\nexport const protobufPackage/, `import { ${used.join(', ')} } from "${SUPPORT}";\n$&`);
}

const ZERO = '(\\w+)\\.[A-Z0-9_]+_UNSPECIFIED\\b';
const isCode = (name: string | undefined): boolean => name !== undefined && STYLES[name] === 'code';

function enumWithWords(name: string, members: string, functions: string): string {
  const style = STYLES[name] ?? 'lower';
  const prefix = `${name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase()}_`;
  const words: (string | number)[] = [];
  const lines = members.replace(MEMBER, (_, indent: string, key: string) => {
    if (!key.startsWith(prefix)) throw new Error(`${key} of the enum ${name} does not start with ${prefix}`);
    const word = style === 'code' ? words.length : wordOf(key.slice(prefix.length), style);
    words.push(word);
    return `${indent}${key}: ${JSON.stringify(word)},`;
  });
  const kept = style === 'code' ? lines : lines.replace(/^(.*\*\/\n)? {2}\w+_UNSPECIFIED: .*\n/, '');
  const table = style === 'code' ? words : words.slice(1);
  const first = style === 'code' ? 0 : 1;
  return `export const ${name} = {
${kept}
} as const;

export type ${name} = typeof ${name}[keyof typeof ${name}];

const ${functions}Words = new WordEnum<${name}>(${JSON.stringify(name)}, ${first}, ${JSON.stringify(table)});

export function ${functions}FromJSON(object: any): ${name} {
  return ${functions}Words.read(object);
}

export function ${functions}ToJSON(object: ${name}): ${name} {
  return object;
}

export function ${functions}ToNumber(object: ${name}): number {
  return ${functions}Words.numberOf(object);
}`;
}

function wordOf(name: string, style: Style): string {
  if (style === 'upper') return name;
  if (style === 'lower') return name.toLowerCase();
  if (style === 'dotted') return name.toLowerCase().replace('_', '.');
  const [first = '', ...others] = name.split('_').map((part) => part.charAt(0) + part.slice(1).toLowerCase());
  return [style === 'camel' ? first.toLowerCase() : first, ...others].join('');
}
