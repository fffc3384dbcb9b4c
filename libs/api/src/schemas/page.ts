import { FORMATS, type Format } from '@tidemark/project-config';
import { ERROR_CODES, Time, VERDICTS } from '@tidemark/results';
import { z } from 'zod';
import { quoted } from '../validation/sent-value.ts';

export const EXTRACT_ERRORS = ['timeout', 'unavailable', 'refused', 'invalid', 'busy', 'empty', 'budget'] as const;
const isFormat = (name: string): name is Format => FORMATS.some((format) => format === name);

/** `markdown,links`, or a list of the same names. */
export const Formats = z
  .union([z.string().max(200), z.array(z.string()).max(20)], {
    error: `expected formats separated by commas, from ${FORMATS.join(', ')}`,
  })
  .transform((value, ctx) => {
    const names = (Array.isArray(value) ? value : value.split(','))
      .map((name) => name.trim())
      .filter((name) => name !== '');
    const unknown = names.filter((name) => !isFormat(name));
    if (unknown.length > 0 || names.length === 0) {
      const what =
        names.length === 0 ? 'no format is given' : `unknown format ${unknown.slice(0, 3).map(quoted).join(', ')}`;
      ctx.issues.push({ code: 'custom', message: `${what}; expected ${FORMATS.join(', ')}`, input: value });
      return z.NEVER;
    }
    return [...new Set(names.filter(isFormat))];
  })
  .describe(`Bodies to return, separated by commas: ${FORMATS.join(', ')}`);

const Link = z
  .object({ url: z.string(), text: z.string(), rel: z.string().optional(), kind: z.string() })
  .meta({ id: 'Link' });

/** https://schema.org/ItemAvailability */
export const AVAILABILITIES = [
  'InStock',
  'InStoreOnly',
  'LimitedAvailability',
  'OnlineOnly',
  'OutOfStock',
  'SoldOut',
  'Discontinued',
  'PreOrder',
  'PreSale',
  'BackOrder',
  'MadeToOrder',
  'Reserved',
] as const;

export const Product = z
  .object({
    price: z
      .number()
      .nullable()
      .describe(
        'The price to be paid, of several offers the lowest. Amounts have at most 15 significant digits: the number is exact',
      ),
    priceHigh: z.number().nullable().describe('The highest price, where offers or a range have several'),
    regularPrice: z.number().nullable().describe('The price before a reduction: crossed out, recommended or former'),
    currency: z.string().nullable().describe('ISO 4217; null if a symbol such as $ does not decide it'),
    availability: z.enum(AVAILABILITIES).nullable().describe('By its name in schema.org'),
    inStock: z
      .boolean()
      .nullable()
      .describe('null if it is not known, or neither, as of a product to be ordered in advance'),
    sku: z.string().nullable().describe('The number of the shop: as shown on the page, else as its data state it'),
    gtin: z.string().nullable().describe('GTIN, EAN, UPC or ISBN with a valid check digit'),
    brand: z.string().nullable(),
    source: z
      .enum(['json_ld', 'microdata', 'rdfa', 'open_graph', 'page'])
      .describe('Where the price is from (`page`: what the page shows); without a price, the first other value'),
    conflict: z
      .array(z.enum(['price', 'currency', 'availability']))
      .describe('Values on which the data of the page and what it shows differ'),
  })
  .meta({ id: 'Product' });

export const PageRow = z
  .object({
    id: z.string(),
    url: z.string().describe('URL of the page after redirects'),
    askedUrl: z.string(),
    inputs: z
      .array(z.int())
      .optional()
      .describe('Of a batch: the positions in `urls`, from 0, that the row answers; more than one for duplicates'),
    httpStatus: z.int().nullable().describe('null if no response arrived'),
    status: z.enum(['done']),
    verdict: z.enum(VERDICTS),
    errorCode: z
      .enum(ERROR_CODES)
      .describe(
        'Why the page was not read. SHELL: the response has no content, or scripts would fill it. NETWORK: no response arrived, or the server failed',
      ),
    shape: z.enum(['listing', 'table', 'form', 'empty']).nullable(),
    warnings: z.array(z.string()),
    signals: z.array(z.string()).describe('Why the verdict was reached'),
    reason: z.string(),
    method: z.string().nullable().describe('The engine that fetched the page'),
    tier: z.string().nullable(),
    climbedTo: z.string().nullable().describe('The highest engine a refused page was tried on'),
    credits: z.int(),
    billedAs: z
      .string()
      .nullable()
      .describe('The rung that the page is priced at, if it differs from the fetching one'),
    words: z.int(),
    language: z.string().nullable(),
    title: z
      .string()
      .nullable()
      .describe(
        'The title of the document as it stands; of a page without one, that of Open Graph or its first heading. `head.headline` is the title without the name of the site',
      ),
    widget: z.string().nullable(),
    solved: z.string().nullable(),
    exitBytes: z.int(),
    redirects: z.array(z.string()),
    charset: z.string().nullable(),
    crawledAt: Time,
    timingsMs: z.record(z.string(), z.number()).describe('Milliseconds by stage of the capture'),
    product: Product.nullable().describe(
      'The product that the page is about; null for other pages and for lists of products',
    ),
    markdown: z.string().nullable().optional(),
    text: z.string().nullable().optional(),
    cleanHtml: z.string().nullable().optional(),
    html: z.string().nullable().optional().describe('The html as received; requested as rawHtml'),
    links: z.array(Link).nullable().optional(),
    foundVia: z
      .string()
      .optional()
      .describe('How a crawl reached the page: seed, sitemap, list, feed, link, redirect, canonical'),
    firstReferer: z.string().nullable().optional().describe('The first page found that links to it'),
    inSitemap: z.boolean().optional(),
    depth: z.int().optional().describe('Number of links from the seed'),
    inLinks: z
      .int()
      .nullable()
      .optional()
      .describe('Number of pages of the crawl that link to it; null until the crawl has ended'),
    orphan: z.boolean().nullable().optional().describe('In a sitemap but not linked'),
    unlisted: z.boolean().nullable().optional().describe('Linked but not in a sitemap'),
    origin: z.string().optional().describe('Host of the page'),
    fields: z.record(z.string(), z.unknown()).nullable(),
    extracted: z
      .record(z.string(), z.unknown())
      .nullable()
      .optional()
      .describe('Values that a language model extracted by the schema of `config.extract`; null if that failed'),
    extraction: z
      .object({
        model: z.string(),
        inputTokens: z.int().describe('Counted by the provider for this page; 0 for cached values'),
        outputTokens: z.int(),
        cached: z.boolean().describe('Whether the values are those of an earlier page with the same content'),
        truncated: z.boolean().describe('Whether the content exceeded the limit and was cut'),
      })
      .meta({ id: 'Extraction' })
      .optional(),
    extractError: z
      .object({ code: z.enum(EXTRACT_ERRORS), message: z.string() })
      .meta({ id: 'ExtractError' })
      .nullable()
      .optional()
      .describe('Why the extraction failed; the page itself is not affected'),
    screenshot: z.string().nullable(),
    head: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'PageRow' });

export type PageRow = z.output<typeof PageRow>;
