/** Characters of a text that an error message repeats. */
const MAX_SHOWN = 60;

/** Fields whose value is a credential or can contain one. Compared in lower case, at any depth of the path. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'headers',
  'cookies',
  'secrets',
  'session',
  'webhook_url',
  'webhook',
  'chat_url',
  'text',
  'secret',
  'password',
  'token',
  'api_key',
  'authorization',
  'code',
  'signature',
]);

/** Credentials inside a text: user names and passwords of URLs, values of a query, and keys with a known prefix. */
const SECRET_PARTS: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/[^\s/@"]{0,200}:[^\s/@"]{0,200}@/g, '***@'],
  [/\/\/[^\s/@"]{0,200}@/g, '//***@'],
  [/([?&#][^=&#\s]{0,100}=)[^&#\s]+/g, '$1***'],
  [/\b(service_|whsec_|sk[-_]|Bearer\s+|Basic\s+)\S+/gi, '$1***'],
];

/** Format and separator characters, which are invisible or change the direction of text. */
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}]/gu;

type Path = readonly PropertyKey[];

const isSecret = (path: Path): boolean =>
  path.some((part) => typeof part === 'string' && SECRET_FIELDS.has(part.toLowerCase()));

/** Returns a text in quotes, shortened, without invisible characters and credentials. */
export function quoted(text: string): string {
  const start = text.slice(0, 4 * MAX_SHOWN);
  const safe = SECRET_PARTS.reduce((part, [pattern, mask]) => part.replace(pattern, mask), start);
  const visible = safe.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  const isCut = visible.length > MAX_SHOWN || start.length < text.length;
  return JSON.stringify(isCut ? `${visible.slice(0, MAX_SHOWN - 1)}…` : visible);
}

/** Returns the value at a path of a request; undefined if there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

/** Describes what was sent at a path for an error message: shortened, and of a secret field only its type and length. */
export function describeSent(value: unknown, path: Path): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${counted(value.length, 'item')}`;
  if (value === null) return 'null';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') {
    if (value === '') return 'an empty text';
    return isSecret(path) ? `a text of ${counted(value.length, 'character')}` : quoted(value);
  }
  if (typeof value === 'number') return isSecret(path) ? 'a number' : String(value);
  return typeof value === 'boolean' ? String(value) : `a value of the type ${typeof value}`;
}
