import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Formats, VERDICTS } from '../schemas/page.ts';
import { Cursor, limit, WebUrl } from '../schemas/parts.ts';
import { ProjectConfigPatch } from '../schemas/project-config.ts';
import { RunEnvelope } from '../schemas/run.ts';
import {
  ContentPreview,
  FoundPages,
  RemovedParts,
  RunPages,
  SEARCH_MODES,
  SelectorMatches,
  SelectorsBody,
  StoredPage,
} from '../schemas/stored-page.ts';

/** Sets of pages the link graph of a run makes. */
const PAGE_FLAGS = ['orphan', 'unlisted', 'dead_end'] as const;

const ofProject = {
  tag: 'Pages',
  params: z.strictObject({ id: z.string().describe('The project, such as prj_01j…') }),
};
const reads = { ...ofProject, method: 'get', scope: 'read', body: nothing } as const;
const asks = { ...ofProject, method: 'post', scope: 'read', query: nothing } as const;

const RunId = z.string().max(100).optional().describe('The latest finished full run by default');
const onePage = {
  url: z.string().min(1).max(2_048).describe('Matched under either scheme, with or without a trailing slash'),
  run_id: RunId,
};

export const pageRoutes = {
  listPages: route({
    ...reads,
    id: 'listPages',
    path: '/projects/{id}/pages',
    summary: 'Pages of a run, oldest first, without bodies',
    description:
      'The query language `q`: `field:value` on every field of the row, such as `status:403 depth:>2 -lang:en "exact words"`; `>`, `>=`, `<`, `<=` and `a..b` on numbers and dates, commas between values, `*` in addresses, `field:none` where there is no value, `-` before what is not wanted. Words alone are looked for in address and title. `status` is what the server answered: a page it said is unchanged since it was last read is a 304, and `status:200,304` finds both. What cannot be read is refused, with its column.',
    query: z.strictObject({
      run_id: RunId,
      q: z.string().max(2_000).default('').describe('The query; every page by default'),
      v: z.enum(VERDICTS).optional().describe('Only those of this verdict'),
      flag: z
        .enum(PAGE_FLAGS)
        .optional()
        .describe('Only those of this set of the link graph; none before the run has ended'),
      cursor: Cursor,
      limit: limit(100, 1_000),
    }),
    responses: { 200: RunPages },
  }),
  recrawlPages: route({
    ...ofProject,
    id: 'recrawlPages',
    method: 'post',
    path: '/projects/{id}/pages/recrawl',
    scope: 'write',
    summary: 'Fetch exactly these pages now',
    description:
      'A run of its own, which never stands in for the site. 409 while a run of the project is queued or running.',
    query: nothing,
    body: z
      .strictObject({ urls: z.array(WebUrl).min(1).max(1_000).describe('Addresses of the project’s site') })
      .meta({ id: 'RecrawlRequest' }),
    responses: { 202: RunEnvelope },
    example: { urls: ['https://example.com/pricing'] },
  }),
  searchPages: route({
    ...asks,
    id: 'searchPages',
    path: '/projects/{id}/pages/search',
    summary: 'Pages of a run that say, or contain, something',
    description:
      'Over what is stored; nothing is fetched. `content`: words and "quoted phrases" over markdown, `-` before a word that must not be there. `selector`: CSS, or XPath where it begins with / or an opening parenthesis, over html. Pages without a stored body are counted, not guessed. An answer may hold fewer than `limit`, even none, with more to come: `next` is the `cursor` for the body of the next POST, and null at the end.',
    body: z
      .strictObject({
        q: z.string().trim().min(1).max(2_000),
        mode: z.enum(SEARCH_MODES).default('content'),
        run_id: RunId,
        cursor: Cursor,
        limit: z.int().min(1).max(100).default(25).describe('How many to return, 1 to 100'),
      })
      .meta({ id: 'SearchRequest' }),
    responses: { 200: FoundPages },
    example: { q: 'refund "within 30 days"', mode: 'content' },
  }),
  getPageContent: route({
    ...reads,
    id: 'getPageContent',
    path: '/projects/{id}/pages/content',
    summary: 'One stored page in full, with its versions over time',
    query: z.strictObject({
      ...onePage,
      format: Formats.optional().describe('Bodies to return; all that are stored by default'),
    }),
    responses: { 200: StoredPage },
  }),
  getPageScreenshot: route({
    ...reads,
    id: 'getPageScreenshot',
    path: '/projects/{id}/pages/screenshot',
    summary: 'The screenshot of a stored page',
    query: z.strictObject(onePage),
    produces: 'image/jpeg',
    responses: { 200: undefined },
  }),
  getRemoved: route({
    ...reads,
    id: 'getRemoved',
    path: '/projects/{id}/pages/removed',
    summary: 'What the content filters take out of a stored page',
    description:
      'Under the project’s current configuration: banners, widgets, base64 images, excluded and out-of-scope selectors, converter chrome. It needs the page’s stored html: `store_html` keeps it.',
    query: z.strictObject(onePage),
    responses: { 200: RemovedParts },
  }),
  matchSelectors: route({
    ...asks,
    id: 'matchSelectors',
    path: '/projects/{id}/selectors/match',
    summary: 'What selectors name on stored pages',
    description:
      'Over the stored html of the last full run, the home page first, up to a hundred pages. Nothing is fetched.',
    body: SelectorsBody,
    responses: { 200: SelectorMatches },
    example: { selectors: ['.price', '//h1'] },
  }),
  previewContent: route({
    ...asks,
    id: 'previewContent',
    path: '/projects/{id}/content/preview',
    summary: 'What the content filters make of a stored page',
    description:
      'By the saved configuration with the unsaved changes of `config` merged into it, over the stored html of the last full run. Nothing is fetched or kept.',
    body: z
      .strictObject({
        config: ProjectConfigPatch.optional(),
        page: z.string().min(1).max(2_048).optional().describe('The address of a page; the home page by default'),
      })
      .meta({ id: 'ContentPreviewRequest' }),
    responses: { 200: ContentPreview },
    example: { config: { exclude_selectors: ['.related'] } },
  }),
} as const;
