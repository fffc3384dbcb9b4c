import { isMaskedUrl, WebUrl } from '@tidemark/project-config';
import { assumeHttps } from '@tidemark/web-url';
import { z } from 'zod';

/** The URL of a page or a site to read. The gateway finds the scheme of one that has none. */
export const SiteUrl = WebUrl.describe(
  'An http or https URL. Without a scheme: https, or http if the host responds over http alone',
);

/** The URL of a webhook of one job. Nothing is stored for it yet, so a masked URL is refused. */
export const ReceiverUrl = WebUrl.refine(
  (url) => !isMaskedUrl(url),
  'the URL is masked, and no URL is stored for it: send the complete URL',
);

/** The URL of a stored page in a query. */
export const PageUrl = z.string().min(1).max(2_048).overwrite(assumeHttps);

export const Cursor = z
  .string()
  .max(512)
  .default('')
  .describe('`cursor` of the previous page of this list; any other one gets 422');

/** A name given by a user: one line without control characters, trimmed. Not a pattern, because not every client reads `\p`. */
export const nameText = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((name) => /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u.test(name), 'expected one line without control characters');

/** The query parameter `limit` of a list. */
export const limit = (fallback: number, max: number, min = 1) =>
  z.coerce.number().int().min(min).max(max).default(fallback).describe(`Number of items to return, ${min} to ${max}`);

/** A time in a query: of a day, its start in UTC. */
export const Moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** A query parameter that is true or false. */
export const flag = (description: string) =>
  z
    .stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] })
    .default(false)
    .meta({ type: 'boolean', default: false, description });

export const ErrorBody = z
  .object({
    error: z.string().describe('What happened, what was expected and what to do'),
    code: z.string().describe('Error code for programs'),
    request_id: z.string().describe('The same as the X-Request-Id header'),
    detail: z
      .array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() }))
      .optional()
      .describe('The invalid fields'),
  })
  .meta({ id: 'Error' });

/** The fields of a list that is returned whole: the same as of a paged list, so that one reader suits all. */
export const wholeList = { next: z.null(), cursor: z.null() };

/** A page of a list. `next` is the path of the following page, or null. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    data: z.array(item),
    next: z.string().nullable(),
    cursor: z.string().nullable(),
    creditsUsed: z.int(),
    request_id: z.string(),
  });
