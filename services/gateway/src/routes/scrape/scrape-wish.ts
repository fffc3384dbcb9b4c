import type { routes } from '@tidemark/api';
import { AppError } from '@tidemark/errors';
import type { z } from 'zod';

export type ScrapeBody = z.output<(typeof routes.startScrape)['body']>;

/** One page, or a batch of them. */
export type Wanted =
  | { readonly url: string; readonly urls?: undefined }
  | { readonly url?: undefined; readonly urls: readonly string[] };

function refuse(field: string, message: string, httpStatus: 400 | 422): never {
  throw new AppError('validation', message, {
    httpStatus,
    detail: [{ loc: ['body', field], msg: message, type: 'contradiction' }],
  });
}

/**
 * The rules between the fields of a scrape.
 * @throws AppError validation where two contradict each other, not_found for a destination that is nobody's
 */
export function refuseOddRequest({ url, urls, webhook_url: webhookUrl, destination }: ScrapeBody): Wanted {
  if (destination !== undefined) throw new AppError('not_found', 'there is no such destination');
  if (url !== undefined && urls !== undefined)
    refuse('urls', 'send either url, for one page, or urls, for a batch; both came', 400);
  if (urls !== undefined) return { urls };
  if (url === undefined)
    refuse('url', 'url: expected an http or https address, or urls for a batch; neither came', 422);
  if (webhookUrl !== undefined)
    refuse('webhook_url', 'webhook_url belongs to a batch; a single page is answered in this response', 400);
  return { url };
}
