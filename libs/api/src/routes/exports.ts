import { DATASET_NAMES, EXPORT_FORMATS } from '@tidemark/datasets';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { ExportCatalogue } from '../schemas/export.ts';
import { PageUrl } from '../schemas/parts.ts';

const Dataset = z.enum(DATASET_NAMES).describe('The dataset; GET /exports lists their columns and formats');
const Format = z
  .enum(EXPORT_FORMATS)
  .optional()
  .describe('By default jsonl, txt for llms and llms-full, and wacz for evidence');

/** Column names separated by commas. */
const ColumnNames = z
  .string()
  .max(4_000)
  .default('')
  .transform((names) => names.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])));

const COMPRESSION = z
  .enum(['none', 'gzip', 'zstd'])
  .optional()
  .describe('Compresses the file itself (.gz, .zst). Without it, the transfer is compressed as Accept-Encoding allows');

const query = z.strictObject({
  dataset: Dataset,
  format: Format,
  compression: COMPRESSION,
  fields: ColumnNames.describe('Columns of the file, in this order; by default all'),
  omit: ColumnNames.describe('Columns to leave out'),
  q: z
    .string()
    .max(2_000)
    .default('')
    .describe('Only pages that match; the query language of GET /projects/{id}/pages. Not for changes and sitemap'),
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(2_147_483_647)
    .default(0)
    .describe(
      'Continue behind this row: the `number` of a page, the `place` of an entry. A CSV file then has no header',
    ),
  guard: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'CSV only. `on` prefixes a cell with an apostrophe where a spreadsheet would run it as a formula, which changes its text; `off` is for programs',
    ),
  bom: z
    .stringbool()
    .default(false)
    .describe('CSV only: begin with a byte order mark, by which Excel recognizes UTF-8'),
  delimiter: z.enum(['comma', 'semicolon', 'tab']).default('comma').describe('CSV only'),
});

const DESCRIPTION =
  'The file is streamed. A failure after its first byte breaks the connection: a transfer that ends normally is whole. `Export-Rows` has the number of rows where it is known in advance, and `Export-Complete: false` states that the run has not ended: the file has the pages that are listed now. A cell of xlsx holds 32,767 characters: a longer text ends with a note of its length, and a last sheet lists these cells; the other formats hold all.';

const tag = 'Exports';
const runId = z.string().max(100).optional().describe('By default the latest finished full run');
const projectParams = z.strictObject({ id: z.string().describe('The project, such as prj_01j…') });

export const exportRoutes = {
  listExports: route({
    tag,
    id: 'listExports',
    method: 'get',
    path: '/exports',
    scope: 'read',
    summary: 'The datasets that can be exported, with their columns and formats',
    params: nothing,
    query: nothing,
    body: nothing,
    responses: { 200: ExportCatalogue },
  }),
  exportProject: route({
    tag,
    id: 'exportProject',
    method: 'get',
    path: '/projects/{id}/export',
    scope: 'read',
    summary: 'Download a dataset of a project',
    description: DESCRIPTION,
    params: projectParams,
    query: query.extend({ run_id: runId }),
    body: nothing,
    produces: 'application/octet-stream',
    responses: { 200: undefined },
  }),
  exportPages: route({
    tag,
    id: 'exportPages',
    method: 'post',
    path: '/projects/{id}/export',
    scope: 'read',
    summary: 'Download a dataset of these pages of a project',
    description: `${DESCRIPTION} Rows of pages are in the order of \`urls\`, and \`Export-Unknown-Urls\` has the number of URLs that the run does not have. Of changes and sitemap, the rows of these URLs are in the order of the dataset; a page that moved is found by both of its URLs.`,
    params: projectParams,
    query: nothing,
    body: z
      .strictObject({
        dataset: Dataset,
        format: Format,
        run_id: runId,
        compression: COMPRESSION,
        urls: z.array(PageUrl).min(1).max(1_000).describe('Up to 1,000 URLs, of which the file has the rows'),
      })
      .meta({ id: 'ExportRequest' }),
    produces: 'application/octet-stream',
    responses: { 200: undefined },
    example: { dataset: 'markdown', format: 'jsonl', urls: ['https://example.com/pricing'] },
  }),
  exportCrawl: route({
    tag,
    id: 'exportCrawl',
    method: 'get',
    path: '/crawl/{id}/export',
    scope: 'read',
    summary: 'Download a dataset of a crawl',
    description: `${DESCRIPTION} The datasets changes and sitemap belong to projects.`,
    params: z.strictObject({ id: z.string().describe('The crawl, such as run_01j…') }),
    query,
    body: nothing,
    produces: 'application/octet-stream',
    responses: { 200: undefined },
  }),
};
