import { ProjectConfigPatch, WebUrl } from '@tidemark/project-config';
import { VERDICTS } from '@tidemark/results';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Formats } from '../schemas/page.ts';
import { Cursor, flag, limit, Moment, PageUrl } from '../schemas/parts.ts';
import { rowFields } from '../schemas/row-fields.ts';
import { RunEnvelope } from '../schemas/run.ts';
import {
  ContentPreview,
  FoundPages,
  PageBlame,
  PageVersions,
  RemovedParts,
  RunPages,
  SEARCH_MODES,
  SelectorMatches,
  SelectorsBody,
  StoredPage,
} from '../schemas/stored-page.ts';

/** Sets of pages derived from the link graph of a run. */
const PAGE_FLAGS = ['orphan', 'unlisted', 'dead_end'] as const;

/** Fields of the row by which the pages of a run are sorted. */
const SORT_FIELDS = ['url', 'httpStatus', 'words', 'credits', 'crawledAt', 'depth', 'inLinks'] as const;
const PAGE_SORTS = SORT_FIELDS.flatMap((field) => [field, `-${field}`] as const);

const ofProject = {
  tag: 'Pages',
  params: z.strictObject({ id: z.string().describe('The project, such as prj_01j…') }),
};
const readRoute = { ...ofProject, method: 'get', scope: 'read', body: nothing } as const;
const queryRoute = { ...ofProject, method: 'post', scope: 'read', query: nothing } as const;

const RunId = z
  .string()
  .max(100)
  .optional()
  .describe(
    'By default the newest full run that is done and read pages; a failed, a cancelled and a re-crawl run only if it is named',
  );
const onePage = {
  url: PageUrl.describe('Matched under either scheme, with or without a trailing slash'),
  run_id: RunId,
};

export const pageRoutes = {
  listPages: route({
    ...readRoute,
    id: 'listPages',
    path: '/projects/{id}/pages',
    summary: 'Pages of a run, oldest first or sorted, without bodies',
    description:
      'Query language of `q`: `field:value` for every field of the row, such as `status:403 depth:>2 -lang:en "exact words"`; `product.price:<100 product.inStock:true` for the product of the page; `>`, `>=`, `<`, `<=` and `a..b` for numbers and dates; commas between alternative values; `*` in URLs; `field:none` for a missing value; `-` negates a term. Bare words match the URL and the title. `status` is the HTTP status of the response: an unchanged page is a 304, and `status:200,304` matches both. A syntax error is rejected with its column. With `sort`, every request reads all pages of the run once to find the next ones, so its time grows with the run: to read a whole run of more than 100,000 pages, omit `sort` or use an export.',
    refusals: {
      conflict: 'With `sort`: the run has not ended, or its last pages are not stored yet.',
    },
    query: z.strictObject({
      run_id: RunId,
      q: z.string().max(2_000).default('').describe('The query; by default all pages'),
      v: z.enum(VERDICTS).optional().describe('Only pages with this verdict'),
      flag: z
        .enum(PAGE_FLAGS)
        .optional()
        .describe('Only pages in this set of the link graph; empty until the run has ended'),
      sort: z
        .enum(PAGE_SORTS)
        .optional()
        .describe(
          'The order of the pages of a run that has ended, `-` for descending: equal values in the order in which the pages ended, pages without a value last. By default the order in which the pages ended. A cursor continues the order that it was made for',
        ),
      ...rowFields,
      cursor: Cursor,
      limit: limit(100, 1_000),
    }),
    responses: { 200: RunPages },
  }),
  recrawlPages: route({
    ...ofProject,
    id: 'recrawlPages',
    spends: true,
    refusals: {
      conflict: 'A run of the project is queued or running.',
      tier_limit: 'No engine of this deployment can read pages under the options.',
    },
    method: 'post',
    path: '/projects/{id}/pages/recrawl',
    scope: 'write',
    summary: 'Fetch exactly these pages now',
    description:
      'Starts a separate run, which never counts as a full run of the site. 409 while a run of the project is queued or running.',
    query: nothing,
    body: z
      .strictObject({ urls: z.array(WebUrl).min(1).max(1_000).describe('URLs of the project’s site') })
      .meta({ id: 'RecrawlRequest' }),
    responses: { 202: RunEnvelope },
    example: { urls: ['https://example.com/pricing'] },
  }),
  searchPages: route({
    ...queryRoute,
    id: 'searchPages',
    path: '/projects/{id}/pages/search',
    summary: 'Search the stored pages of a run by text or selector',
    description:
      'Scans stored pages; nothing is fetched. `across: versions` searches every stored version of every page of the project for words, and answers with the intervals in which each page contained them; a page is its newest reading. `content`: words and "quoted phrases" in markdown, `-` excludes a word. `selector`: CSS, or XPath if it starts with / or an opening parenthesis, on stored html. Pages without a stored body are counted, not guessed. A response can have fewer than `limit` pages, even none, before the end: `next` is the `cursor` for the next POST and null at the end.',
    body: z
      .strictObject({
        q: z.string().trim().min(1).max(2_000).describe('Words and "quoted phrases", or one selector, by `mode`'),
        mode: z.enum(SEARCH_MODES).default('content'),
        across: z
          .enum(['run', 'versions'])
          .default('run')
          .describe('versions: all stored versions of the pages of the project; for words, without `run_id`'),
        since: Moment.optional().describe('Across versions: only intervals that are not over before this time'),
        until: Moment.optional().describe('Across versions: only intervals that begin at this time at the latest'),
        run_id: RunId,
        cursor: Cursor,
        limit: z.int().min(1).max(100).default(25).describe('Number of pages to return, 1 to 100'),
      })
      .meta({ id: 'SearchRequest' }),
    responses: { 200: FoundPages },
    example: { q: 'refund "within 30 days"', mode: 'content' },
  }),
  getPageContent: route({
    ...readRoute,
    id: 'getPageContent',
    path: '/projects/{id}/pages/content',
    summary: 'One stored page in full, with its versions over time',
    description:
      'Of the present run, of the run `run_id`, or as it was at a time: `at` selects the last good reading of any run that is not later. `at` together with `run_id` is refused with 400.',
    refusals: { before_history: 'No good reading of the page is stored at or before `at`.' },
    query: z.strictObject({
      ...onePage,
      at: Moment.optional().describe('The page as it was at this time, or at the start of this day in UTC'),
      format: Formats.optional().describe('Bodies to return; by default all stored ones'),
      version_fields: flag('Also the extracted fields of the 30 newest versions'),
    }),
    responses: { 200: StoredPage },
  }),
  listPageVersions: route({
    ...readRoute,
    tag: 'History',
    id: 'listPageVersions',
    path: '/projects/{id}/pages/versions',
    summary: 'Versions of a page over time, newest first',
    description:
      'A version is an interval in which the text of the content was the same in every good reading of the page, by runs of any kind. Markup, links, the parts around the content and blocks of `volatile_selectors` are no part of the text. A reading that failed ends no version; such readings are in `unread`.',
    query: z.strictObject({
      url: onePage.url,
      cursor: Cursor,
      limit: limit(20, 100),
    }),
    responses: { 200: PageVersions },
  }),
  getPageBlame: route({
    ...readRoute,
    tag: 'History',
    id: 'getPageBlame',
    path: '/projects/{id}/pages/blame',
    summary: 'When each block of a page appeared and was last edited',
    description:
      'The content of the newest version of the page, or of the version at a time, block by block: its first appearance, its last edit, how often it was edited and moved, and whether it left and came back. Versions in the language of that version are compared. A page with hundreds of versions may need several requests: 503 with `Retry-After` until then.',
    refusals: { before_history: 'Every stored version of the page is later than `at`.' },
    query: z.strictObject({
      url: onePage.url,
      at: Moment.optional().describe(
        'The version at this time, or at the start of this day in UTC; by default the newest',
      ),
      words: flag('Also the version of each word'),
    }),
    responses: { 200: PageBlame },
  }),
  getPageScreenshot: route({
    ...readRoute,
    id: 'getPageScreenshot',
    path: '/projects/{id}/pages/screenshot',
    summary: 'The screenshot of a stored page',
    query: z.strictObject(onePage),
    produces: 'image/jpeg',
    responses: { 200: undefined },
  }),
  getRemoved: route({
    ...readRoute,
    id: 'getRemoved',
    path: '/projects/{id}/pages/removed',
    summary: 'What the content filters remove from a stored page',
    description:
      'With the current configuration of the project: banners, widgets, base64 images, excluded and out-of-scope selectors, converter chrome. Requires the stored html of the page (`store_html`).',
    query: z.strictObject(onePage),
    responses: { 200: RemovedParts },
  }),
  matchSelectors: route({
    ...queryRoute,
    id: 'matchSelectors',
    path: '/projects/{id}/selectors/match',
    summary: 'Matches of selectors on stored pages',
    description:
      'Evaluates selectors on the stored html of the last full run, starting with the home page, up to 100 pages. Nothing is fetched.',
    body: SelectorsBody,
    responses: { 200: SelectorMatches },
    example: { selectors: ['.price', '//h1'] },
  }),
  previewContent: route({
    ...queryRoute,
    id: 'previewContent',
    path: '/projects/{id}/content/preview',
    summary: 'Result of the content filters on a stored page',
    description:
      'Uses the saved configuration merged with the unsaved changes in `config`, on the stored html of the last full run. Nothing is fetched or stored.',
    body: z
      .strictObject({
        config: ProjectConfigPatch.optional(),
        page: PageUrl.optional().describe('URL of a page; by default the home page'),
      })
      .meta({ id: 'ContentPreviewRequest' }),
    responses: { 200: ContentPreview },
    example: { config: { exclude_selectors: ['.related'] } },
  }),
} as const;
