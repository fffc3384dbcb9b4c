import { z } from 'zod';
import type { Json } from './json-schema.ts';

/** The named schemas of the document, filled while its parts are built. */
export type Components = Record<string, unknown>;

/** Returns the JSON Schema of one part of a route and moves named schemas to `components`. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Components): Json {
  const { $schema: _, $defs, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  for (const [name, part] of Object.entries($defs ?? {})) components[name] = withoutIds(part);
  const id = schema.meta()?.id;
  if (id === undefined) return withoutIds(json);
  // A recursive schema is in its own $defs; the rest of it is then a reference to it.
  if (json['$ref'] === undefined) components[id] = withoutIds(json);
  return { $ref: `#/components/schemas/${id}` };
}

/** Rewrites references from `$defs` (JSON Schema) to `components` (OpenAPI) and removes ids. */
function withoutIds(value: unknown): Json {
  const text = JSON.stringify(value, (key, part: unknown) =>
    key === 'id' && typeof part === 'string' && /^[A-Z]\w+$/.test(part) ? undefined : part,
  );
  const json: unknown = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
  return typeof json === 'object' && json !== null ? { ...json } : {};
}
