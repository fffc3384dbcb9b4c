import { RE2JS } from 're2js';
import { KEYWORDS, type Shape, TYPES, UNSUPPORTED } from './keywords.ts';

/** Limits of a schema. */
export const SCHEMA_LIMITS = {
  characters: 16_000,
  depth: 16,
  schemas: 500,
  references: 50,
  patterns: 20,
  patternCharacters: 200,
  /** Greatest count of a repetition in a pattern: the compiled pattern grows with it. */
  repetitions: 100,
} as const;

/** Why a schema is refused, and the place. */
export interface SchemaFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** An object or boolean schema as its author wrote it. */
type Node = boolean | { readonly [keyword: string]: unknown };

/** A schema within the limits, with its references resolved and its patterns compiled. */
export interface JsonSchema {
  readonly root: Node;
  readonly references: ReadonlyMap<string, Node>;
  readonly patterns: ReadonlyMap<string, RE2JS>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNode = (value: unknown): value is Node => typeof value === 'boolean' || isObject(value);

/**
 * Checks a JSON Schema and prepares it. Accepts the keywords of draft 2020-12 that `KEYWORDS` lists, and any annotation. References lead to
 * places in the schema itself. Patterns are RE2 expressions, which match in linear time.
 */
export function checkSchema(schema: unknown): { readonly schema: JsonSchema } | { readonly fault: SchemaFault } {
  try {
    return { schema: new Checker(schema).check() };
  } catch (error) {
    if (error instanceof Refused) return { fault: error };
    throw error;
  }
}

class Refused extends Error {
  readonly path: SchemaFault['path'];

  constructor(path: SchemaFault['path'], message: string) {
    super(message);
    this.path = path;
  }
}

class Checker {
  readonly #root: Node;
  readonly #references = new Map<string, Node>();
  readonly #patterns = new Map<string, RE2JS>();
  #schemas = 0;

  constructor(schema: unknown) {
    if (!isNode(schema)) throw new Refused([], 'expected a JSON Schema: an object');
    requireDepth(schema, SCHEMA_LIMITS.depth * 2);
    const { length } = JSON.stringify(schema);
    const { characters } = SCHEMA_LIMITS;
    if (length > characters)
      throw new Refused([], `expected at most ${characters.toLocaleString('en')} characters of JSON; got ${length}`);
    this.#root = schema;
  }

  check(): JsonSchema {
    this.#node(this.#root, []);
    return { root: this.#root, references: this.#references, patterns: this.#patterns };
  }

  #node(node: unknown, path: SchemaFault['path']): void {
    if (!isNode(node)) throw new Refused(path, 'expected a schema: an object or a boolean');
    this.#schemas += 1;
    if (this.#schemas > SCHEMA_LIMITS.schemas)
      throw new Refused(path, `expected at most ${SCHEMA_LIMITS.schemas} schemas, those inside others included`);
    if (typeof node === 'boolean') return;
    for (const [keyword, value] of Object.entries(node)) {
      const at = [...path, keyword];
      if (UNSUPPORTED.has(keyword)) throw new Refused(at, `the keyword ${keyword} is not supported`);
      const shape = KEYWORDS.get(keyword);
      if (shape === 'other') this.#other(keyword, value, at);
      else if (shape !== undefined) this.#shape(shape, value, at);
    }
  }

  #shape(shape: Exclude<Shape, 'other'>, value: unknown, path: SchemaFault['path']): void {
    switch (shape) {
      case 'schema':
        this.#node(value, path);
        break;
      case 'schemas':
        if (!Array.isArray(value) || value.length === 0) throw new Refused(path, 'expected a list of schemas');
        for (const [at, each] of value.entries()) this.#node(each, [...path, at]);
        break;
      case 'named':
      case 'patterns':
        if (!isObject(value)) throw new Refused(path, 'expected an object of schemas');
        for (const [name, each] of Object.entries(value)) {
          if (shape === 'patterns') this.#pattern(name, [...path, name]);
          this.#node(each, [...path, name]);
        }
        break;
      case 'pattern':
        this.#pattern(value, path);
        break;
      default:
        requireShape(shape, value, path);
    }
  }

  #other(keyword: string, value: unknown, path: SchemaFault['path']): void {
    if (keyword === '$ref') this.#reference(value, path);
    if (keyword === 'enum' && (!Array.isArray(value) || value.length === 0))
      throw new Refused(path, 'expected a list of values');
    if (keyword !== 'type') return;
    const types: unknown[] = Array.isArray(value) ? value : [value];
    if (types.length === 0 || !types.every((type) => TYPES.some((known) => known === type)))
      throw new Refused(path, `expected one of ${TYPES.join(', ')}, or a list of them`);
  }

  #pattern(pattern: unknown, path: SchemaFault['path']): void {
    const { patternCharacters, patterns, repetitions } = SCHEMA_LIMITS;
    if (typeof pattern !== 'string' || pattern.length > patternCharacters)
      throw new Refused(path, `expected a pattern of at most ${patternCharacters} characters`);
    if ([...pattern.matchAll(/\{(\d*),?(\d*)\}/g)].some(([, ...counts]) => counts.some((n) => Number(n) > repetitions)))
      throw new Refused(path, `expected repetitions of at most ${repetitions}`);
    if (this.#patterns.has(pattern)) return;
    if (this.#patterns.size >= patterns) throw new Refused(path, `expected at most ${patterns} patterns`);
    try {
      this.#patterns.set(pattern, RE2JS.compile(pattern));
    } catch {
      throw new Refused(path, 'expected an RE2 expression: without look-around and back-references');
    }
  }

  /** Resolves a JSON Pointer (RFC 6901) into the schema. */
  #reference(pointer: unknown, path: SchemaFault['path']): void {
    if (typeof pointer !== 'string' || !/^#(\/|$)/.test(pointer))
      throw new Refused(path, 'expected a reference inside the schema, such as #/$defs/price');
    if (this.#references.has(pointer)) return;
    if (this.#references.size >= SCHEMA_LIMITS.references)
      throw new Refused(path, `expected at most ${SCHEMA_LIMITS.references} different references`);
    let target: unknown = this.#root;
    for (const part of pointer.split('/').slice(1)) {
      const name = unescaped(part);
      target =
        typeof target === 'object' && target !== null && Object.hasOwn(target, name)
          ? Reflect.get(target, name)
          : undefined;
    }
    if (!isNode(target)) throw new Refused(path, 'the reference leads to no schema');
    this.#references.set(pointer, target);
    // The place may be one that no keyword reaches.
    this.#node(target, path);
  }
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

function requireShape(shape: 'count' | 'number' | 'flag' | 'names', value: unknown, path: SchemaFault['path']): void {
  const isNames = Array.isArray(value) && value.every((name) => typeof name === 'string');
  if (shape === 'names' && !isNames) throw new Refused(path, 'expected a list of names');
  if (shape === 'count' && !(Number.isSafeInteger(value) && Number(value) >= 0))
    throw new Refused(path, 'expected an integer of 0 or more');
  if (shape === 'number' && (typeof value !== 'number' || (path.at(-1) === 'multipleOf' && value <= 0)))
    throw new Refused(path, 'expected a number; of multipleOf, one above 0');
  if (shape === 'flag' && typeof value !== 'boolean') throw new Refused(path, 'expected true or false');
}

/** Refuses nesting beyond `depth`. The recursion is bounded by the same depth. */
function requireDepth(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth === 0) throw new Refused([], `expected at most ${SCHEMA_LIMITS.depth} levels of schemas`);
  for (const part of Object.values(value)) requireDepth(part, depth - 1);
}
