/** How the words of an enum are written in code. `code`: as its numbers, for enums that are parts of compact keys. */
type Style = 'lower' | 'upper' | 'pascal' | 'code';

/** Enums whose words are not lower case. */
const STYLES: Readonly<Record<string, Style>> = {
  // Codes of the REST interface are upper case.
  ErrorCode: 'upper',
  // Names of https://schema.org/ItemAvailability
  Availability: 'pascal',
  // Parts of the keys by which diff finds the places of blocks.
  Landmark: 'code',
  BlockKind: 'code',
};

const ENUM = /export const (\w+) = \{\n([\s\S]*?)\n\} as const;/g;
const MEMBER = /^( {2})([A-Z][A-Z0-9_]*): "\2",$/gm;

/**
 * Replaces the values of generated string enums, which are names such as `STOP_REASON_PAGE_LIMIT`, by the words of the specification
 * (`page_limit`). The type of an enum is then the union of its words and `unspecified`, the value of an absent field.
 */
export const withWords = (source: string): string =>
  source.replace(ENUM, (_, name: string, members: string) => {
    const style = STYLES[name] ?? 'lower';
    const prefix = `${name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase()}_`;
    let number = 0;
    const words = members.replace(MEMBER, (__, indent: string, key: string) => {
      if (!key.startsWith(prefix)) throw new Error(`${key} of the enum ${name} does not start with ${prefix}`);
      const value = style === 'code' ? String(number++) : JSON.stringify(wordOf(key.slice(prefix.length), style));
      return `${indent}${key}: ${value},`;
    });
    return `export const ${name} = {\n${words}\n} as const;`;
  });

function wordOf(name: string, style: Style): string {
  if (name === 'UNSPECIFIED' || style === 'lower') return name.toLowerCase();
  if (style === 'upper') return name;
  return name
    .split('_')
    .map((part) => part.charAt(0) + part.slice(1).toLowerCase())
    .join('');
}
