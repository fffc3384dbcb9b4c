import { expect, it } from '@jest/globals';
import { readPart, routes } from '@tidemark/api';
import { AppError } from '@tidemark/errors';
import { inFirecrawlNames } from './field-names.ts';
import { crawlNames, toCrawlBody } from './job-requests.ts';
import { scrapeNames } from './scrape-options.ts';

/** Returns the error of a body that the contract refuses. */
function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

it('an error about a field names the field as the client of Firecrawl sent it', () => {
  const config = { wait_for: 99_999_999, headers: { a: 1 } };
  const error = errorOf(() => readPart(routes.startScrape.body, { url: 'https://example.com/', config }, 'body'));
  expect(inFirecrawlNames(error, scrapeNames('v2'))).toMatchObject({
    message: 'headers.a: expected text, got a number; waitFor: expected a whole number from 0 to 60000, got 99999999',
    detail: [{ loc: ['body', 'headers', 'a'] }, { loc: ['body', 'waitFor'] }],
  });
});

it('an error about an option of the pages of a crawl names it under scrapeOptions', () => {
  const body = { url: 'https://example.com/', maxDiscoveryDepth: -1, scrapeOptions: { waitFor: 99_999_999 } };
  const error = errorOf(() => readPart(routes.startCrawl.body, toCrawlBody(body, 'v2'), 'body'));
  expect(inFirecrawlNames(error, crawlNames('v2'))).toMatchObject({
    message: expect.stringMatching(/^maxDiscoveryDepth: .*; scrapeOptions\.waitFor: /),
  });
});

it('an error about something else is unchanged', () => {
  const error = new AppError('not_found', 'no such crawl');
  expect(inFirecrawlNames(error, scrapeNames('v2'))).toBe(error);
});
