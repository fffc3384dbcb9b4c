import { Time } from '@tidemark/results';
import { z } from 'zod';

export const LoggedRequest = z
  .object({
    id: z.string(),
    at: Time.describe('When the request arrived'),
    keyId: z.string(),
    key: z.string().describe('Name of the key; empty for a key that does not exist any more'),
    method: z.string(),
    path: z.string().describe('Path without the query, at most 300 characters'),
    route: z.string().nullable().describe('The route, such as POST /v1/scrape; null: none matches'),
    status: z.int(),
    code: z
      .string()
      .nullable()
      .describe('Code of the error; null: the request succeeded. `gone`: the client left before the end'),
    message: z.string().nullable().describe('Message of the error, at most 300 characters'),
    durationMs: z.int().describe('From the arrival of the request to the end of its response, ms'),
    request_id: z.string(),
    creditsUsed: z
      .int()
      .nullable()
      .describe(
        'What the job that the request started had used by the time of the response: the whole cost of a scrape that was waited for, 0 for a crawl that has just begun; null: the request started no job',
      ),
    userAgent: z.string().nullable().describe('Program of the client'),
  })
  .meta({ id: 'LoggedRequest' });
export type LoggedRequest = z.output<typeof LoggedRequest>;

export const FailureGroup = z
  .object({
    route: z.string().nullable().describe('The route; null: none matches'),
    status: z.int(),
    code: z.string(),
    count: z.int(),
    keys: z.int().describe('Number of keys whose requests failed so'),
    firstAt: Time,
    lastAt: Time,
    message: z.string().describe('Message of the latest one'),
    request_id: z.string().describe('Of the latest one'),
  })
  .meta({ id: 'FailureGroup' });
export type FailureGroup = z.output<typeof FailureGroup>;
