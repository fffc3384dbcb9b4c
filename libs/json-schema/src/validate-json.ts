import type { JsonSchema } from './check-schema.ts';
import { isEqual } from './is-equal.ts';

/** Steps of one validation: schemas applied to values. A recursive schema may need a number of steps that grows exponentially. */
const MAX_STEPS = 50_000;
/** Schemas applied inside one another. */
const MAX_DEPTH = 200;
const MAX_MISMATCHES = 20;

type Path = readonly (string | number)[];
type Node = JsonSchema['root'];
type Rules = Exclude<Node, boolean>;

/** Where a value does not match the schema. */
export interface Mismatch {
  readonly path: Path;
  readonly message: string;
}

/** `limit`: the validation exceeds its bound of steps. */
export type Validation = 'valid' | 'limit' | readonly Mismatch[];

/** Validates a value of parsed JSON. Takes a bounded number of steps; each takes time linear in the size of its value. */
export function validateJson({ root, references, patterns }: JsonSchema, value: unknown): Validation {
  const validator = new Validator({ root, references, patterns });
  try {
    const mismatches = validator.apply(root, value, []);
    return mismatches.length === 0 ? 'valid' : mismatches.slice(0, MAX_MISMATCHES);
  } catch (error) {
    if (error instanceof StepLimit) return 'limit';
    throw error;
  }
}

class StepLimit extends Error {}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const nodeOf = (value: unknown): Node => (typeof value === 'boolean' || isObject(value) ? value : true);
const nodesOf = (value: unknown): Node[] => (Array.isArray(value) ? value.map(nodeOf) : []);
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

class Validator {
  readonly #schema: JsonSchema;
  #steps = 0;
  #depth = 0;

  constructor(schema: JsonSchema) {
    this.#schema = schema;
  }

  apply(node: Node, value: unknown, path: Path): Mismatch[] {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS || this.#depth > MAX_DEPTH) throw new StepLimit();
    if (typeof node === 'boolean') return node ? [] : [{ path, message: 'is not allowed' }];
    this.#depth += 1;
    try {
      return [
        ...this.#values(node, value, path),
        ...this.#combinations(node, value, path),
        ...(typeof value === 'string' ? this.#text(node, value, path) : []),
        ...(typeof value === 'number' ? numberMismatches(node, value, path) : []),
        ...(Array.isArray(value) ? this.#list(node, value, path) : []),
        ...(isObject(value) ? this.#object(node, value, path) : []),
      ];
    } finally {
      this.#depth -= 1;
    }
  }

  #matches(node: Node, value: unknown): boolean {
    return this.apply(node, value, []).length === 0;
  }

  #count(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw new StepLimit();
  }

  #values(rules: Rules, value: unknown, path: Path): Mismatch[] {
    const types: unknown[] = rules['type'] === undefined ? [] : [rules['type']].flat();
    if (types.length > 0 && !types.some((type) => isOfType(type, value)))
      return [{ path, message: `expected ${types.join(' or ')}, got ${typeName(value)}` }];
    const allowed = 'const' in rules ? [rules['const']] : Array.isArray(rules['enum']) ? rules['enum'] : undefined;
    this.#count(allowed?.length ?? 0);
    if (allowed === undefined || allowed.some((each: unknown) => isEqual(each, value))) return [];
    const listed = allowed.slice(0, 10).map((each: unknown) => JSON.stringify(each).slice(0, 60));
    return [{ path, message: `expected ${listed.join(', ')}` }];
  }

  #combinations(rules: Rules, value: unknown, path: Path): Mismatch[] {
    const found: Mismatch[] = [];
    const { $ref, if: condition } = rules;
    if (typeof $ref === 'string') found.push(...this.apply(this.#schema.references.get($ref) ?? false, value, path));
    for (const each of nodesOf(rules['allOf'])) found.push(...this.apply(each, value, path));
    const anyOf = nodesOf(rules['anyOf']);
    if (anyOf.length > 0 && !anyOf.some((each) => this.#matches(each, value)))
      found.push({ path, message: 'matches none of the schemas of anyOf' });
    const oneOf = nodesOf(rules['oneOf']);
    const matching = oneOf.filter((each) => this.#matches(each, value)).length;
    if (oneOf.length > 0 && matching !== 1)
      found.push({ path, message: `matches ${matching} of the schemas of oneOf, expected exactly one` });
    if (rules['not'] !== undefined && this.#matches(nodeOf(rules['not']), value))
      found.push({ path, message: 'matches the schema of not' });
    if (condition !== undefined) {
      const branch = this.#matches(nodeOf(condition), value) ? rules['then'] : rules['else'];
      found.push(...this.apply(nodeOf(branch), value, path));
    }
    return found;
  }

  #text(rules: Rules, value: string, path: Path): Mismatch[] {
    const { pattern, minLength, maxLength } = rules;
    const found: Mismatch[] = [];
    if (minLength !== undefined || maxLength !== undefined)
      found.push(...sizeMismatches([...value].length, [minLength, maxLength], { path, unit: 'characters' }));
    if (typeof pattern === 'string' && !this.#test(pattern, value))
      found.push({ path, message: `expected a text that matches ${pattern}` });
    return found;
  }

  #test(pattern: string, text: string): boolean {
    this.#count(Math.ceil(text.length / 100));
    return this.#schema.patterns.get(pattern)?.matcher(text).find() ?? true;
  }

  #list(rules: Rules, value: readonly unknown[], path: Path): Mismatch[] {
    const first = nodesOf(rules['prefixItems']);
    const found = sizeMismatches(value.length, [rules['minItems'], rules['maxItems']], { path, unit: 'items' });
    for (const [at, each] of value.entries()) {
      const node = first[at] ?? (rules['items'] === undefined ? undefined : nodeOf(rules['items']));
      if (node !== undefined && found.length < MAX_MISMATCHES) found.push(...this.apply(node, each, [...path, at]));
    }
    if (rules['uniqueItems'] === true) {
      this.#count((value.length * value.length) / 2);
      if (value.some((each, at) => value.slice(0, at).some((other) => isEqual(each, other))))
        found.push({ path, message: 'expected items that differ' });
    }
    return found;
  }

  #object(rules: Rules, value: Readonly<Record<string, unknown>>, path: Path): Mismatch[] {
    const names = Object.keys(value);
    const required: unknown[] = Array.isArray(rules['required']) ? rules['required'] : [];
    this.#count(required.length);
    const found: Mismatch[] = [
      ...sizeMismatches(names.length, [rules['minProperties'], rules['maxProperties']], { path, unit: 'properties' }),
      ...required
        .filter((name): name is string => typeof name === 'string' && !Object.hasOwn(value, name))
        .map((name) => ({ path: [...path, name], message: 'is required' })),
    ];
    for (const name of names) {
      if (found.length >= MAX_MISMATCHES) break;
      if (rules['propertyNames'] !== undefined)
        found.push(...this.apply(nodeOf(rules['propertyNames']), name, [...path, name]));
      for (const node of this.#propertySchemas(rules, name))
        found.push(...this.apply(node, value[name], [...path, name]));
    }
    return found;
  }

  /** Returns the schemas that apply to a property. */
  #propertySchemas(rules: Rules, name: string): Node[] {
    const own = isObject(rules['properties']) && Object.hasOwn(rules['properties'], name);
    const schemas = own && isObject(rules['properties']) ? [nodeOf(rules['properties'][name])] : [];
    if (isObject(rules['patternProperties']))
      for (const [pattern, node] of Object.entries(rules['patternProperties']))
        if (this.#test(pattern, name)) schemas.push(nodeOf(node));
    if (schemas.length === 0 && rules['additionalProperties'] !== undefined)
      schemas.push(nodeOf(rules['additionalProperties']));
    return schemas;
  }
}

function sizeMismatches(
  size: number,
  [least, most]: readonly [unknown, unknown],
  { path, unit }: { readonly path: Path; readonly unit: string },
): Mismatch[] {
  if (typeof least === 'number' && size < least) return [{ path, message: `expected at least ${least} ${unit}` }];
  if (typeof most === 'number' && size > most) return [{ path, message: `expected at most ${most} ${unit}` }];
  return [];
}

function numberMismatches(rules: Rules, value: number, path: Path): Mismatch[] {
  const limits = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;
  const [minimum, maximum, above, below] = limits.map((name) => numberOf(rules[name]));
  const factor = numberOf(rules['multipleOf']);
  const found: Mismatch[] = [];
  if (minimum !== undefined && value < minimum) found.push({ path, message: `expected at least ${minimum}` });
  if (maximum !== undefined && value > maximum) found.push({ path, message: `expected at most ${maximum}` });
  if (above !== undefined && value <= above) found.push({ path, message: `expected more than ${above}` });
  if (below !== undefined && value >= below) found.push({ path, message: `expected less than ${below}` });
  if (factor !== undefined && !isMultiple(value, factor))
    found.push({ path, message: `expected a multiple of ${factor}` });
  return found;
}

/** Decimal factors such as 0.01 are no exact binary fractions. */
function isMultiple(value: number, factor: number): boolean {
  const times = value / factor;
  return Number.isFinite(times) && Math.abs(times - Math.round(times)) <= Number.EPSILON * Math.max(1, Math.abs(times));
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const isOfType = (type: unknown, value: unknown): boolean =>
  type === 'integer' ? Number.isInteger(value) : type === typeName(value);
