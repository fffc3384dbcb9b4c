import type { OpenApi } from '../../contract/document.ts';
import type { Attempt } from './attempt.ts';
import { encoded } from './encode.ts';
import type { Kind } from './payloads.ts';
import { filledPath, ownedId, type Pool } from './pool.ts';
import { alternativesOf, componentOf, isOfType, resolve, type Schema } from './schema.ts';
import type { Parameter, Target } from './targets.ts';

/** One string field of the interface, wherever it is: the same field of a shared schema counts once. */
export interface Field {
  readonly name: string;
  readonly kind: Kind;
  /** Every route that takes it, each with a function that returns a request with a value in it. */
  readonly placements: readonly ((value: string) => Attempt)[];
}

/** A field name decides where the format does not; the last rule fits every string. */
const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/^(?:url|urls|site|seed|seeds|url_list|feeds|base_url|chat_url|webhook_url|page|file)$/, 'url'],
  [/(?:paths|_include|_exclude)$/i, 'pattern'],
  [/selector|^wait_?for$/i, 'selector'],
  [/^(?:headers|cookies|user_agent|idempotency-key)$/i, 'header'],
  [/^cursor$/, 'cursor'],
  [/(?:^|_)ids?$|Id$|^(?:run|change|from|destination|projects)$/, 'id'],
  [/^(?:q|search|prefix)$/, 'query'],
];

export const kindOf = (name: string, { format }: Schema): Kind =>
  format === 'uri' ? 'url' : (KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'text');

const DEEPEST = 10;

interface Walk {
  readonly document: OpenApi;
  /** Name of the nearest named schema and the place in it: what makes two fields the same. */
  readonly identity: string;
  readonly name: string;
  readonly depth: number;
  /** Returns the whole body for a value of this part. */
  readonly whole: (value: unknown) => unknown;
  readonly visit: (identity: string, name: string, schema: Schema, whole: (value: string) => unknown) => void;
}

/** Returns a small valid value, for the required neighbours of a field. */
function smallest(document: OpenApi, part: Schema): unknown {
  const schema = resolve(document, part);
  const [first = schema] = alternativesOf(schema);
  if (first !== schema) return smallest(document, first);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.example !== undefined) return schema.example;
  if (isOfType(schema, 'string')) return 'x'.repeat(schema.minLength ?? 1);
  if (isOfType(schema, 'integer') || isOfType(schema, 'number')) return schema.minimum ?? 1;
  if (isOfType(schema, 'boolean')) return true;
  if (isOfType(schema, 'array')) return schema.items === undefined ? [] : [smallest(document, schema.items)];
  const required = schema.required ?? [];
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => required.includes(name));
  return Object.fromEntries(properties.map(([name, each]) => [name, smallest(document, each)]));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Calls `visit` for every string of a schema, and for the keys of maps. */
function walk(part: Schema, at: Walk): void {
  const component = componentOf(part);
  const schema = resolve(at.document, part);
  const identity = component ?? at.identity;
  const inner = { ...at, depth: at.depth + 1 };
  if (at.depth > DEEPEST) return;
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 1) for (const each of alternatives) walk(each, { ...inner, identity });
  else if (isOfType(schema, 'string') && schema.const === undefined && schema.enum === undefined)
    at.visit(identity, at.name, schema, at.whole);
  else if (isOfType(schema, 'array') && schema.items !== undefined)
    walk(schema.items, { ...inner, identity: `${identity}[]`, whole: (value) => at.whole([value]) });
  else if (isOfType(schema, 'object')) walkObject(schema, { ...inner, identity });
}

function walkObject(schema: Schema, at: Walk): void {
  const base = smallest(at.document, schema);
  const around = isRecord(base) ? base : {};
  for (const [name, part] of Object.entries(schema.properties ?? {}))
    walk(part, {
      ...at,
      identity: `${at.identity}.${name}`,
      name,
      whole: (value) => at.whole({ ...around, [name]: value }),
    });
  const more = schema.additionalProperties;
  if (typeof more !== 'object') return;
  walk(more, { ...at, identity: `${at.identity}{}`, whole: (value) => at.whole({ a: value }) });
  at.visit(`${at.identity}{key}`, at.name, {}, (key) => at.whole({ [key]: smallest(at.document, more) }));
}

function parameterAttempt(target: Target, { name, in: where }: Parameter, pool: Pool, value: string): Attempt {
  const id = ownedId(pool, target.path);
  const note = `${where} ${name} = ${JSON.stringify(value).slice(0, 200)}`;
  const body = target.body === undefined ? {} : { body: '{}' };
  const own = filledPath(target.path, id, pool.run);
  if (where === 'path')
    return {
      target,
      note,
      ...body,
      path: filledPath(target.path.replace(`{${name}}`, encoded(value) || '%20'), id, pool.run),
    };
  if (where === 'query') return { target, note, ...body, path: `${own}?${name}=${encoded(value)}` };
  // Bytes that no client can send in a header are left out.
  const text = Buffer.from(value, 'utf8')
    .toString('latin1')
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '');
  return { target, note, ...body, path: own, headers: { [name]: text } };
}

/** Returns every field of the document that takes text. */
export function fieldsOf(document: OpenApi, targets: readonly Target[], pool: Pool): readonly Field[] {
  const found = new Map<string, { kind: Kind; placements: ((value: string) => Attempt)[] }>();
  const add = (identity: string, kind: Kind, placement: (value: string) => Attempt): void => {
    const field = found.get(identity) ?? { kind, placements: [] };
    field.placements.push(placement);
    found.set(identity, field);
  };
  for (const target of targets) {
    for (const parameter of target.parameters) {
      const kind = parameter.in === 'path' ? 'id' : kindOf(parameter.name, parameter.schema);
      const identity = `${parameter.in === 'header' ? '' : target.path} ${parameter.in} ${parameter.name}`;
      if (isOfType(resolve(document, parameter.schema), 'string') || parameter.schema.anyOf !== undefined)
        add(identity, kind, (value) => parameterAttempt(target, parameter, pool, value));
    }
    if (target.body === undefined) continue;
    const path = filledPath(target.path, ownedId(pool, target.path), pool.run);
    walk(target.body, {
      document,
      identity: target.id,
      name: '',
      depth: 0,
      whole: (value) => value,
      visit: (identity, name, schema, whole) =>
        add(identity, kindOf(name, schema), (value) => ({
          target,
          path,
          body: JSON.stringify(completed(target, whole(value), pool)),
          note: `${identity} = ${JSON.stringify(value).slice(0, 200)}`,
        })),
    });
  }
  return [...found].map(([name, field]) => ({ name, ...field }));
}

/** Adds what a request needs to be accepted and cheap: an address to read, one page, a second of waiting. */
function completed({ body, waitSeconds }: Target, value: unknown, { urls }: Pool): unknown {
  if (!isRecord(value) || body === undefined) return value;
  const [url] = urls;
  const config = isRecord(value['config']) ? { config: { ...value['config'] } } : {};
  return {
    ...(waitSeconds > 0 ? { timeout: 1 } : {}),
    ...('url' in value ||
    'urls' in value ||
    !/^(?:ScrapeRequest|CrawlRequest|MapRequest|PlaygroundRequest)$/.test(componentOf(body) ?? '')
      ? {}
      : { url }),
    ...(componentOf(body) === 'CrawlRequest' ? { limit: 1, useSitemap: false } : {}),
    ...(componentOf(body) === 'NewProject' && !('seed' in value) ? { seed: url } : {}),
    ...value,
    ...config,
  };
}
