import { checkSchema, SCHEMA_LIMITS } from '@tidemark/json-schema';
import { z } from 'zod';
import { isStorable } from './config-values.ts';

/** A JSON Schema of an object, within the limits of @tidemark/json-schema. */
const Schema = z
  .record(z.string(), z.unknown(), 'expected a JSON Schema: an object')
  .check((ctx) => {
    const checked = checkSchema(ctx.value);
    const { type } = ctx.value;
    const fault =
      'fault' in checked
        ? checked.fault
        : type === undefined || type === 'object'
          ? isStorable(ctx.value)
            ? undefined
            : { path: [], message: 'must not contain NUL or a lone surrogate' }
          : { path: ['type'], message: 'expected a schema of an object: the type object' };
    if (fault !== undefined)
      ctx.issues.push({ code: 'custom', message: fault.message, path: [...fault.path], input: undefined });
  })
  .meta({
    description: `JSON Schema (draft 2020-12) of the object to extract; ${SCHEMA_LIMITS.characters} characters at most, references inside it only, patterns are RE2`,
    example: { type: 'object', properties: { price: { type: ['number', 'null'] } }, required: ['price'] },
  });

/** Tokens of one job. */
export const DEFAULT_MAX_TOKENS = 10_000_000;

/** What a language model extracts from the main content of each page. */
export const ExtractConfig = z
  .strictObject({
    connection_id: z
      .string()
      .min(1)
      .max(100)
      .describe('A language-model connection of the workspace; default: the only one'),
    schema: Schema,
    prompt: z
      .string()
      .max(4_000)
      .refine(isStorable, 'must not contain NUL or a lone surrogate')
      .optional()
      .describe('Instructions for the model in addition to the schema'),
    max_tokens: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .optional()
      .describe(
        `Tokens that all pages of a job (scrape, batch, crawl or run) may use together, default ${DEFAULT_MAX_TOKENS}; a page whose extraction could exceed the rest has the extractError budget and is captured without values`,
      ),
  })
  .meta({ id: 'ExtractConfig' });
export type ExtractConfig = z.output<typeof ExtractConfig>;
