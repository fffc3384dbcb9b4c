import { parseWebUrl } from '@tidemark/web-url';
import { z } from 'zod';

/** A web address as users give it: http or https, no credentials, at most 2,048 characters. The address policy comes later, at the connection. */
export const WebUrl = z
  .string()
  .check((ctx) => {
    const parsed = parseWebUrl(ctx.value);
    if (!parsed.ok)
      ctx.issues.push({ code: 'custom', message: parsed.reason, input: ctx.value, params: { type: 'url' } });
  })
  .meta({ format: 'uri', description: 'An http or https address', example: 'https://example.com/' });

export const Cursor = z
  .string()
  .max(512)
  .default('')
  .describe('Where the last page of results ended: `cursor` of that answer');

/** `limit` of a list. */
export const limit = (fallback: number, max: number, min = 1) =>
  z.coerce.number().int().min(min).max(max).default(fallback).describe(`How many to return, ${min} to ${max}`);

export const Time = z.iso.datetime().describe('ISO 8601, UTC');

export const ErrorBody = z
  .object({
    error: z.string().describe('What happened, what was expected and what to do'),
    code: z.string().describe('What it means, for programs'),
    request_id: z.string().describe('The same as the X-Request-Id header'),
    detail: z
      .array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() }))
      .optional()
      .describe('Which fields are at fault'),
  })
  .meta({ id: 'Error' });

/** A page of a list: `next` is the ready-made address of the following one, or null. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    data: z.array(item),
    next: z.string().nullable(),
    cursor: z.string().nullable(),
    creditsUsed: z.int(),
    request_id: z.string(),
  });
