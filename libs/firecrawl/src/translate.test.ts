import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { batchFields, crawlFields, mapFields, toBatchBody, toCrawlBody, toMapBody } from './job-requests.ts';
import { Refusal } from './refusal.ts';
import { scrapeFields } from './scrape-options.ts';
import { type Settings, translate } from './translate.ts';

const VERSIONS = ['v1', 'v2'] as const;
const toScrapeBody = (body: unknown, version: (typeof VERSIONS)[number]): Settings =>
  translate(body, scrapeFields(version));

const REQUESTS = [
  { name: 'a scrape', fields: scrapeFields, work: toScrapeBody },
  { name: 'a crawl', fields: crawlFields, work: toCrawlBody },
  { name: 'a batch', fields: batchFields, work: toBatchBody },
  { name: 'a map', fields: mapFields, work: toMapBody },
];

/** Returns the refusal of a body, or undefined for an accepted one. @throws any other error */
function refusalOf(work: () => unknown): Refusal | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

it.each(REQUESTS)('$name with any values in its fields is translated or refused with 400', ({ fields, work }) => {
  for (const version of VERSIONS) {
    const names = fc.constantFrom(...Object.keys(fields(version)));
    const body = fc.dictionary(names, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 });
    const statuses = (value: unknown) => [undefined, 400].includes(refusalOf(() => work(value, version))?.status);
    fc.assert(fc.property(body, statuses), { numRuns: 300 });
  }
});

it.each(REQUESTS)('$name with a field that Firecrawl does not have is refused by its name', ({ fields, work }) => {
  const known = new Set(Object.keys({ ...fields('v1'), ...fields('v2') }));
  const unknown = fc.string({ minLength: 1, maxLength: 40 }).filter((name) => !known.has(name));
  fc.assert(
    fc.property(unknown, fc.jsonValue(), (name, value) => {
      const body = JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`);
      expect(refusalOf(() => work(body, 'v2'))?.message).toContain(name);
    }),
    { numRuns: 100 },
  );
});
