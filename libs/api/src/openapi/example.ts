import { exampleOfField } from '../example-ids.ts';
import { BY_NAME } from './example-names.ts';
import { ACCEPTED, BY_SCHEMA_FIELD, FILLED } from './example-values.ts';
import {
  alternatives,
  asList,
  asObject,
  asText,
  choicesOf,
  componentOf,
  isNullable,
  type Json,
  mainType,
  resolve,
} from './json-schema.ts';

const DEPTH_MAX = 8;
/** Lists of pages without bodies. */
const LISTS = ['pages', 'search'];

interface Place {
  readonly schemas: Json;
  /** Name of the field. */
  readonly name: string;
  /** The named schema that contains the field. */
  readonly schemaName: string;
  /** The last literal path segment. */
  readonly noun: string;
  /** Whether the response only accepts the work. */
  readonly isAccepted: boolean;
  /** Whether the enclosing object is a job, which costs credits. */
  readonly costs: boolean;
  readonly depth: number;
}

const nounOf = (path: string): string => path.split('/').findLast((word) => word !== '' && !word.startsWith('{')) ?? '';

/** Returns a plausible value that is valid for a schema. `status`: of the response it is for. */
export const exampleOfSchema = (
  schema: Json,
  schemas: Json,
  { path, status = 200 }: { readonly path: string; readonly status?: number },
): unknown =>
  sampleOf(schema, {
    schemas,
    name: '',
    schemaName: '',
    noun: nounOf(path),
    isAccepted: status === 202,
    costs: false,
    depth: 0,
  });

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

/** Returns whether a value suits a type; an unknown type suits every value. */
const suitsType = (value: unknown, type: string): boolean =>
  value === null || type === '' || kindOf(value) === type || (kindOf(value) === 'integer' && type === 'number');

/** Returns whether a value of the tables suits a schema: a new field can have a name of the tables and another meaning. */
function suits(value: unknown, schema: Json, schemas: Json): boolean {
  if (!suitsType(value, mainType(schema))) return false;
  if (Array.isArray(value)) {
    const items = resolve(asObject(schema['items']), schemas);
    return value.every((item) => suits(item, items, schemas));
  }
  const choices = choicesOf(schema, schemas);
  if (choices.length > 0 && value !== null) return choices.includes(String(value));
  const properties = asObject(schema['properties']);
  if (typeof value !== 'object' || value === null || Object.keys(properties).length === 0) return true;
  const names = Object.keys(value);
  return (
    names.every((name) => name in properties) &&
    asList(schema['required']).every((name) => names.includes(asText(name)))
  );
}

/** Whether the field is part of a job that is only accepted, so that its value is that of a job without results. */
const isOpen = ({ name, isAccepted, costs, depth }: Place): boolean =>
  isAccepted && costs && depth === 1 && Object.hasOwn(ACCEPTED, name);

/** Returns the value that the tables give a field. */
function knownValue(place: Place): unknown {
  const { name, schemaName } = place;
  if (isOpen(place)) return ACCEPTED[name];
  const exact = `${schemaName}.${name}`;
  if (Object.hasOwn(BY_SCHEMA_FIELD, exact)) return BY_SCHEMA_FIELD[exact];
  return Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
}

function sampleOf(schema: Json, outer: Place): unknown {
  const { schemas, name, depth } = outer;
  const resolved = resolve(schema, schemas);
  const given = resolved['example'] ?? asList(resolved['examples'])[0];
  if (given !== undefined) return given;
  const isFilled = FILLED.has(`${outer.schemaName}.${name}`) && !isOpen(outer);
  const nullable = !isFilled && (isNullable(schema) || isNullable(resolved));
  const chosen = chosenValue(resolved, outer, { known: isFilled ? undefined : knownValue(outer), nullable });
  if (chosen !== undefined) return chosen.value;
  if (nullable || depth > DEPTH_MAX) return null;
  const place = { ...outer, schemaName: nameOf(schema, resolved, outer) };
  const [alternative] = alternatives(resolved);
  return alternative === undefined
    ? plainValue(resolved, place)
    : sampleOf(alternative, { ...place, depth: depth + 1 });
}

/** Returns the value that a field has by its choices, its name or the tables; undefined: none. */
function chosenValue(
  resolved: Json,
  place: Place,
  { known, nullable }: { readonly known: unknown; readonly nullable: boolean },
): { readonly value: unknown } | undefined {
  const { schemas, name, schemaName, noun, costs } = place;
  const type = mainType(resolved);
  const choices = type === 'array' ? [] : choicesOf(resolved, schemas);
  if (choices.length > 0)
    return { value: choices.find((choice) => choice === known) ?? (nullable ? null : choices[0]) };
  const id = type === 'string' ? exampleOfField(name, schemaName, noun) : undefined;
  if (id !== undefined && !isSpecific(place)) return { value: id };
  if (known !== undefined && suits(known, resolved, schemas) && (known !== null || nullable)) return { value: known };
  return name === 'creditsUsed' ? { value: costs ? 1 : 0 } : undefined;
}

/** Whether the tables have a value for the field of exactly this schema. */
const isSpecific = ({ schemaName, name }: Place): boolean => Object.hasOwn(BY_SCHEMA_FIELD, `${schemaName}.${name}`);

/** Returns the name of the schema whose fields follow; for an object without a name, its path from the named one. */
function nameOf(schema: Json, resolved: Json, { schemaName, name }: Place): string {
  const named = componentOf(schema);
  if (named !== undefined) return named;
  const [only, ...more] = alternatives(schema);
  const inner = only !== undefined && more.length === 0 ? componentOf(only) : undefined;
  return inner ?? (mainType(resolved) === 'object' && name !== '' ? `${schemaName}.${name}` : schemaName);
}

function plainValue(resolved: Json, place: Place): unknown {
  const { name, depth } = place;
  switch (mainType(resolved)) {
    case 'object':
      return membersOf(resolved, place);
    case 'array':
      return itemsOf(resolved, { ...place, name: name.replace(/s$/, ''), depth: depth + 1 });
    case 'integer':
    case 'number':
      return resolved['default'] ?? Math.max(1, Number(resolved['minimum'] ?? 1));
    case 'boolean':
      return resolved['default'] ?? false;
    default:
      return textValue(resolved, name);
  }
}

/** A list of texts about which nothing is known is empty. */
function itemsOf(resolved: Json, place: Place): unknown[] {
  const item = sampleOf(asObject(resolved['items']), place);
  return item === '' ? [] : [item];
}

function textValue(resolved: Json, name: string): string {
  if (asText(resolved['format']) === 'date-time') return '2026-11-21T09:30:00.000Z';
  if (asText(resolved['format']) === 'uri' || /url$/i.test(name)) return 'https://example.com/';
  return asText(resolved['default']);
}

function membersOf(resolved: Json, place: Place): Json {
  const properties = asObject(resolved['properties']);
  const required = asList(resolved['required']);
  const shown = Object.entries(properties).filter(
    ([name]) => required.includes(name) || (name === 'markdown' && !LISTS.includes(place.noun)),
  );
  const inside = { ...place, costs: isJob(properties), depth: place.depth + 1 };
  return Object.fromEntries(shown.map(([name, part]) => [name, sampleOf(asObject(part), { ...inside, name })]));
}

/** Whether an object with these fields is a job: work with an end, which costs credits. */
export const isJob = (properties: Json): boolean =>
  ['status', 'creditsUsed', 'finishedAt'].every((name) => Object.hasOwn(properties, name));
