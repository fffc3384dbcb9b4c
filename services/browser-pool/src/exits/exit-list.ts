import { readFileSync } from 'node:fs';
import { z } from 'zod';

export type ExitKind = 'residential' | 'datacenter' | 'mobile';

/** An outgoing proxy configured by the operator. */
export interface Exit {
  readonly name: string;
  /** http://, https:// or socks5://, credentials included. Never logged or returned. */
  readonly url: string;
  /** ISO 3166-1 alpha-2; empty: unknown. */
  readonly country: string;
  readonly kind: ExitKind;
}

const MAX_EXITS = 1_000;
const PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:']);

// Fixed messages: those of zod quote the input, which may be part of a password.
const ExitEntry = z.strictObject(
  {
    name: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'name must be 1 to 64 letters, digits, dots, dashes'),
    url: z
      .string()
      .max(2_048, 'url is too long')
      .refine(isExitUrl, 'url must be an http://, https:// or socks5:// address'),
    country: z
      .string()
      .regex(/^([A-Za-z]{2})?$/, 'country must be two letters')
      .transform((country) => country.toUpperCase())
      .default(''),
    kind: z
      .enum(['residential', 'datacenter', 'mobile'], 'kind must be residential, datacenter or mobile')
      .default('residential'),
  },
  'must have name, url, country and kind only',
);

/**
 * Parses TIDEMARK_EXITS: comma-separated entries `name=url;country=DE;kind=residential`, or the path of a .json file with a
 * list of the same fields as objects. In a URL, comma and semicolon are written %2C and %3B.
 * @throws RangeError that identifies every invalid entry by name, or by position if the name is unreliable; never its URL
 */
export function parseExits(text: string): readonly Exit[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  const entries = /^[^=]+\.json$/.test(trimmed) ? readEntries(trimmed) : trimmed.split(',').map(parseFields);
  if (entries.length > MAX_EXITS) throw new RangeError(`TIDEMARK_EXITS: more than ${MAX_EXITS} exits`);
  const problems: string[] = [];
  const exits = new Map<string, Exit>();
  for (const [index, entry] of entries.entries()) {
    const parsed = ExitEntry.safeParse(entry);
    if (!parsed.success) {
      const reasons = [...new Set(parsed.error.issues.map(({ message }) => message))];
      problems.push(`${describeEntry(entry, index)}: ${reasons.join('; ')}`);
    } else if (exits.has(parsed.data.name)) problems.push(`exit ${parsed.data.name}: the name is taken`);
    else exits.set(parsed.data.name, parsed.data);
  }
  if (problems.length > 0) throw new RangeError(`TIDEMARK_EXITS: ${problems.join('. ')}`);
  return [...exits.values()];
}

function readEntries(path: string): readonly unknown[] {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // The message of the parser may quote the file.
    throw new RangeError(`TIDEMARK_EXITS: ${path} cannot be read as JSON`);
  }
  if (!Array.isArray(content)) throw new RangeError(`TIDEMARK_EXITS: ${path} must be a list`);
  return content;
}

/** Parses the fields of an entry; the schema rejects unknown ones. */
function parseFields(entry: string): Record<string, string> {
  const [first = '', ...rest] = entry.trim().split(';');
  const [name, url] = splitAtEquals(first);
  return { ...Object.fromEntries(rest.map(splitAtEquals)), name, url };
}

function splitAtEquals(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** Identifies an entry by name, or by position if its URL is invalid: the name may then be part of a password with a comma. */
function describeEntry(entry: unknown, index: number): string {
  const named = z.object({ name: ExitEntry.shape.name, url: ExitEntry.shape.url }).safeParse(entry);
  return named.success ? `exit ${named.data.name}` : `entry ${index + 1}`;
}

function isExitUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || !PROTOCOLS.has(url.protocol)) return false;
  try {
    decodeURIComponent(url.username + url.password);
    return true;
  } catch {
    return false;
  }
}
