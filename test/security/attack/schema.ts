import type { OpenApi } from '../../contract/document.ts';

/** The parts of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly example?: unknown;
}

/** Returns a schema without its reference. */
export function resolve(document: OpenApi, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  if (name === undefined) return schema;
  const target: Schema | undefined = document.components.schemas[name];
  if (target === undefined) throw new Error(`the document has no schema ${name}`);
  return target;
}

/** Returns the name of a component, for a schema that refers to one. */
export const componentOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1);

/** Returns the alternatives of a schema; the schema itself if it has none. */
export const alternativesOf = (schema: Schema): readonly Schema[] => schema.anyOf ?? schema.oneOf ?? [schema];

export const isOfType = ({ type }: Schema, name: string): boolean =>
  type === name || (Array.isArray(type) && type.includes(name));
