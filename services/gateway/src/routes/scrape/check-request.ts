import type { routes } from '@tidemark/api';
import { AppError } from '@tidemark/errors';
import type { z } from 'zod';

export type ScrapeBody = z.output<(typeof routes.startScrape)['body']>;

/** One page or a batch. */
export type ScrapeTarget =
  | { readonly url: string; readonly urls?: undefined }
  | { readonly url?: undefined; readonly urls: readonly string[] };

export function reject(field: string, message: string, httpStatus: 400 | 422): never {
  throw new AppError('validation', message, {
    httpStatus,
    detail: [{ loc: ['body', field], msg: message, type: 'contradiction' }],
  });
}

/**
 * Checks the rules between the fields of a scrape request.
 * @throws AppError validation if fields contradict each other
 */
export function checkScrapeRequest({ url, urls, ...body }: ScrapeBody): ScrapeTarget {
  if (url !== undefined && urls !== undefined)
    reject('urls', 'send either url for one page or urls for a batch, not both', 400);
  if (body.webhook !== undefined && body.webhook_url !== undefined)
    reject('webhook', 'send either webhook_url or webhook, not both', 400);
  if (urls !== undefined) return { urls };
  if (url === undefined) reject('url', 'url: expected an http or https URL, or urls for a batch', 422);
  for (const field of ['webhook_url', 'webhook'] as const)
    if (body[field] !== undefined)
      reject(field, `${field} is only valid for a batch; a single page is returned in the response`, 400);
  return { url };
}
