import fc from 'fast-check';
import type { OpenApi } from '../../contract/document.ts';
import type { Pool } from './pool.ts';
import { alternativesOf, isOfType, resolve, type Schema } from './schema.ts';

const MOST_ITEMS = 3;
const DEEPEST = 8;
const LONGEST = 40;

/** Where values for a document come from. */
export interface Source {
  readonly document: OpenApi;
  readonly pool: Pool;
}

/** Bounds that keep the work of a valid request small, by field: what is fuzzed is the interface, not the web. */
const CHEAP: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  timeout: fc.integer({ min: 1, max: 2 }),
  timeout_seconds: fc.integer({ min: 1, max: 2 }),
  limit: fc.integer({ min: 1, max: 3 }),
  max_pages: fc.integer({ min: 1, max: 3 }),
  max_depth: fc.integer({ min: 0, max: 2 }),
  maxDepth: fc.integer({ min: 0, max: 2 }),
  retries: fc.constant(0),
  delay: fc.integer({ min: 0, max: 20 }),
  delay_ms: fc.integer({ min: 0, max: 20 }),
  max_rpm: fc.constantFrom(null, 100_000),
  rpm: fc.integer({ min: 1, max: 100_000 }),
  ms: fc.integer({ min: 1, max: 50 }),
  // A browser costs half a second of CPU a page: one request in ten may have one.
  max_tier: fc.oneof({ arbitrary: fc.constant('http'), weight: 9 }, { arbitrary: fc.constant('browser'), weight: 1 }),
  maxTier: fc.constant('http'),
  render_js: fc.constantFrom('auto', 'never'),
  allow_browser: fc.constant(false),
  screenshot: fc.constant('none'),
  schedule: fc.constantFrom('manual', 'weekly', '0 4 * * 1', '61 25 * * *', '* * * * *'),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Atlantis/Harbour', '../etc/passwd'),
  notify_emails: fc.array(fc.constantFrom('a@example.com', 'b+c@example.org'), { maxLength: 2 }),
};

const PATTERNS: fc.Arbitrary<string> = fc.constantFrom('/a*', '/**', 're:^/a', 're:(', '*', '/%zz', '?', '[', '!x');
const SELECTORS: fc.Arbitrary<string> = fc.constantFrom(
  'h1',
  'main > p:not(.x)',
  '//p[1]',
  'h1[',
  ':has(:has(p))',
  '//*[',
);
const QUERIES: fc.Arbitrary<string> = fc.constantFrom(
  'tide',
  'status:200',
  '(a OR b) -c',
  '"',
  'words:>',
  're:/(/',
  '-',
);

/** Strings by the name of their field: what a caller would send there. */
const BY_NAME: readonly (readonly [RegExp, fc.Arbitrary<string>])[] = [
  [/selector/i, SELECTORS],
  [/paths$|Paths$|_include$|_exclude$/, PATTERNS],
  [/^q$/, QUERIES],
];

const idsOf = ({ owned, run }: Pool): fc.Arbitrary<string> => fc.constantFrom(...Object.values(owned), run, 'nothing');

function stringOf(schema: Schema, name: string, { pool }: Source): fc.Arbitrary<string> {
  if (schema.format === 'uri' || /^(?:url|page|site|seed|seeds|url_list)$/.test(name))
    return fc.constantFrom(...pool.urls);
  if (schema.format === 'email') return fc.constant('someone@example.com');
  if (/(?:^|_)ids?$|Id$|^(?:page|from|destination)$/.test(name)) return idsOf(pool);
  const named = BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
  if (named !== undefined) return named;
  const minLength = schema.minLength ?? 0;
  const free = fc.string({
    unit: 'binary',
    minLength,
    maxLength: Math.max(minLength, Math.min(LONGEST, schema.maxLength ?? LONGEST)),
  });
  if (schema.pattern === undefined) return free;
  try {
    return fc.stringMatching(new RegExp(schema.pattern, 'u'), { size: 'small' });
  } catch {
    // Unicode properties are not supported there: letters satisfy the patterns of free text.
    return fc.stringMatching(/^[a-z]{1,12}$/);
  }
}

function numberOf({ minimum = -1_000, maximum = 1_000_000, type }: Schema): fc.Arbitrary<number> {
  const bounds = { min: Math.ceil(minimum), max: Math.floor(maximum) };
  const edges = fc.constantFrom(bounds.min, bounds.max);
  const whole = fc.oneof(fc.integer(bounds), edges);
  return type === 'number' ? fc.oneof(whole, fc.double({ min: minimum, max: maximum, noNaN: true })) : whole;
}

function arrayOf(schema: Schema, name: string, source: Source, depth: number): fc.Arbitrary<unknown> {
  const minLength = schema.minItems ?? 0;
  const maxLength = Math.max(minLength, Math.min(MOST_ITEMS, schema.maxItems ?? MOST_ITEMS));
  return fc.array(validOf(schema.items ?? {}, name, source, depth + 1), { minLength, maxLength });
}

function objectOf(schema: Schema, source: Source, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {});
  const required = schema.required ?? [];
  if (properties.length === 0) {
    const more = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
    return fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), validOf(more, '', source, depth + 1), { maxKeys: 3 });
  }
  // Few of many optional fields at a time: a request with all of them is refused for some contradiction.
  const optional = properties.map(([name]) => name).filter((name) => !required.includes(name) && name !== 'timeout');
  return fc.subarray(optional, { maxLength: Math.min(optional.length, 4) }).chain((chosen) => {
    const taken = properties.filter(([name]) => required.includes(name) || chosen.includes(name) || name === 'timeout');
    return fc.record(Object.fromEntries(taken.map(([name, part]) => [name, validOf(part, name, source, depth + 1)])));
  });
}

/** Returns an arbitrary of valid values of a schema, as far as the schema states validity. */
export function validOf(part: Schema, name: string, source: Source, depth = 0): fc.Arbitrary<unknown> {
  const cheap = CHEAP[name];
  if (cheap !== undefined && Object.hasOwn(CHEAP, name)) return cheap;
  const schema = resolve(source.document, part);
  if (depth > DEEPEST) return fc.constant(null);
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 1) return fc.oneof(...alternatives.map((each) => validOf(each, name, source, depth + 1)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.allOf !== undefined && schema.type === undefined) {
    const [first = {}] = schema.allOf;
    return validOf(first, name, source, depth + 1);
  }
  if (isOfType(schema, 'string')) return stringOf(schema, name, source);
  if (isOfType(schema, 'integer') || isOfType(schema, 'number')) return numberOf(schema);
  if (isOfType(schema, 'boolean')) return fc.boolean();
  if (isOfType(schema, 'array')) return arrayOf(schema, name, source, depth);
  if (isOfType(schema, 'object')) return objectOf(schema, source, depth);
  return isOfType(schema, 'null') ? fc.constant(null) : fc.jsonValue({ maxDepth: 2 });
}
