import { CHANGE_KINDS, routes } from '@tidemark/api';
import { type PageRow, TidemarkError } from '@tidemark/sdk';
import { z } from 'zod';
import {
  JOB_KINDS,
  type JobKind,
  jobState,
  pageOfJob,
  readMap,
  readPages,
  rowReader,
  shapeMap,
} from './job-results.ts';
import { ChangesResult, JobResult, PageResult, PagesResult, SearchResult, StartedJob } from './outputs.ts';
import { Cursor, Fields, Limit, nextPart, ProjectId, picked, RunId } from './parameters.ts';
import { CHANGE_FIELDS, shapeChanges, shapePageChanges } from './shape-changes.ts';
import {
  cut,
  EXCERPT_CHARS,
  INDEX_ROWS,
  indexRow,
  PAGE_PARTS,
  ROW_FIELDS,
  restOf,
  shapePage,
  UNTRUSTED,
} from './shape-pages.ts';
import { type Tool, type ToolContext, tool } from './tool.ts';
import { WAIT_MS } from './wait-for-job.ts';

const search = routes.searchPages.body.shape;
/** Requests of a batch that are searched for one URL: a batch has at most 500 rows. */
const BATCH_ROWS = 100;
const BATCH_READS = 5;
/** Entries of a change record, and pages of a search, of one result. */
const CHANGES = 200;
const FOUND = 100;
/** Fields of a page that was found. */
const FOUND_FIELDS = [...ROW_FIELDS, 'matches', 'untrusted_text', 'intervals'] as const;
/** Characters of one search hit; all hits stay within the budget of excerpts. */
const SNIPPET_CHARS = 300;

const Offset = z
  .int()
  .min(1)
  .max(100_000_000)
  .optional()
  .describe('Characters of each body to leave out at its start, from next of a previous result');
const Parts = Fields(PAGE_PARTS, 'page');

const listPages = tool('list_pages', {
  kind: 'reads',
  description:
    'List the stored pages of a run of a project, with excerpts; with q, limit, cursor or fields without excerpts. Use search_pages to find text, get_page to read one.',
  input: z.strictObject({
    project_id: ProjectId,
    run_id: RunId,
    q: z.string().max(2_000).optional().describe('Only pages that match, such as httpStatus:404 or verdict:blocked'),
    limit: Limit(INDEX_ROWS),
    cursor: Cursor,
    fields: Fields(ROW_FIELDS, 'page'),
  }),
  output: PagesResult,
  async run({ project_id: id, run_id, ...part }, { client, signal }) {
    if (Object.values(part).some((value) => value !== undefined)) {
      const { fields, ...selection } = part;
      const selected = { limit: INDEX_ROWS, ...selection, run_id };
      const found = await client.call('GET /projects/{id}/pages', { path: { id }, query: selected, signal });
      const { data, cursor, next: more, runId, total } = found;
      const again = { project_id: id, ...(runId === null ? {} : { run_id: runId }), ...part };
      const next = nextPart('list_pages', again, more === null ? null : cursor);
      return {
        notice: UNTRUSTED,
        runId,
        total,
        pages: data.map((row) => picked(indexRow(row), fields)),
        truncated: next !== null,
        next,
      };
    }
    const query = { limit: 1, ...(run_id === undefined ? {} : { run_id }) };
    const { runId } = await client.call('GET /projects/{id}/pages', { path: { id }, query, signal });
    if (runId === null) return { notice: UNTRUSTED, pages: [], excerpts: [], truncated: false, next: null, runId };
    return { runId, ...(await readPages('run', rowReader('run', runId, { client, signal }))) };
  },
});

const getPage = tool('get_page', {
  kind: 'reads',
  description:
    'Read one stored page of a project in full, each body up to 12,000 characters. Nothing is fetched; use recrawl_pages to fetch it again.',
  input: z.strictObject({
    project_id: ProjectId,
    url: routes.getPageContent.query.shape.url,
    run_id: RunId,
    at: routes.getPageContent.query.shape.at,
    fields: Parts,
    offset: Offset,
  }),
  output: PageResult,
  async run({ project_id: id, fields, offset, ...query }, { client, signal }) {
    const page = await client.call('GET /projects/{id}/pages/content', { path: { id }, query, signal });
    const { runId, versions } = page;
    const shaped = shapePage(page, { fields, offset });
    const rest = restOf(shaped);
    const again = { project_id: id, ...query, ...(fields === undefined ? {} : { fields }), offset: rest };
    const next = rest === undefined ? null : { tool: 'get_page', arguments: again };
    return { ...shaped, runId, versions: versions.slice(0, 20), next };
  },
});

const getChanges = tool('get_changes', {
  kind: 'reads',
  description:
    'Read what changed between a run of a project and the state before it: added, removed and modified pages with their words.',
  input: z.strictObject({
    project_id: ProjectId,
    run_id: RunId,
    url: z.string().max(4_096).optional().describe('The words of this page alone, with more of its edits'),
    from: routes.comparePage.query.shape.from.describe('With url: run or time of the earlier reading'),
    to: routes.comparePage.query.shape.to.describe('With url: run or time of the later reading'),
    kind: z.enum(CHANGE_KINDS).optional().describe('Only entries of this kind'),
    limit: Limit(CHANGES),
    cursor: Cursor,
    fields: Fields(CHANGE_FIELDS, 'entry'),
  }),
  output: ChangesResult,
  async run({ project_id: id, url, from, to, fields, ...part }, { client, signal }) {
    if (url !== undefined) {
      const waitForRun = async () => {
        const record = { run_id: part.run_id, limit: 1 };
        return (await client.projects.of(id).record(record, { signal, waitMs: WAIT_MS })).runId ?? undefined;
      };
      // A later reading that `to` names needs no record.
      const newest = to === undefined ? await waitForRun() : undefined;
      const run_id = part.run_id ?? newest;
      const query = { url, run_id, from, to };
      return shapePageChanges(await client.call('GET /projects/{id}/changes/page', { path: { id }, query, signal }));
    }
    const record = await client.projects.of(id).record({ limit: CHANGES, ...part }, { signal, waitMs: WAIT_MS });
    const selected = { ...part, ...(fields === undefined ? {} : { fields }) };
    const again = { project_id: id, ...selected, ...(record.runId === null ? {} : { run_id: record.runId }) };
    const next = nextPart('get_changes', again, record.next === null ? null : record.cursor);
    return { ...shapeChanges(record, fields), next };
  },
});

const searchPages = tool('search_pages', {
  kind: 'reads',
  description:
    'Search the stored pages of a run by words or, with mode selector, by CSS or XPath; across versions, every stored version by words. Nothing is fetched.',
  input: z.strictObject({
    project_id: ProjectId,
    q: search.q,
    mode: search.mode,
    across: search.across,
    since: search.since,
    until: search.until,
    run_id: RunId,
    limit: Limit(FOUND),
    cursor: Cursor,
    fields: Fields(FOUND_FIELDS, 'page'),
  }),
  output: SearchResult,
  async run({ project_id: id, fields, ...body }, { client, signal }) {
    const found = await client.call('POST /projects/{id}/pages/search', {
      path: { id },
      body: { limit: FOUND, ...body },
      signal,
    });
    const { data, runId, scanned, withoutBody, total, note, next } = found;
    let left = EXCERPT_CHARS;
    const snippet = (text: string): string[] => {
      const shown = cut(text, Math.min(SNIPPET_CHARS, left));
      left -= shown.length;
      return shown === '' ? [] : [shown];
    };
    const isShown = fields === undefined || fields.includes('untrusted_text');
    const pages = data.map((page) => {
      const { matches, excerpts, intervals } = page;
      const untrusted_text = isShown ? excerpts.flatMap(({ text }) => snippet(text)) : [];
      const seen = intervals?.map(({ firstSeen, lastSeen, goneSeen }) => ({ firstSeen, lastSeen, goneSeen }));
      return picked(
        { ...indexRow(page), matches, untrusted_text, ...(seen === undefined ? {} : { intervals: seen }) },
        fields,
      );
    });
    const again = { project_id: id, ...body, ...(fields === undefined ? {} : { fields }) };
    return {
      notice: UNTRUSTED,
      runId,
      scanned,
      withoutBody,
      total,
      note,
      pages,
      truncated: next !== null,
      next: nextPart('search_pages', again, next),
    };
  },
});

const recrawlPages = tool('recrawl_pages', {
  kind: 'captures',
  description:
    'Fetch exactly these pages of a project again, as a run of its own. Poll it with get_job; get_changes with its run_id compares.',
  input: z.strictObject({ project_id: ProjectId, urls: routes.recrawlPages.body.shape.urls }),
  output: StartedJob,
  run: async ({ project_id: id, urls }, { client, signal }) =>
    jobState('run', await client.call('POST /projects/{id}/pages/recrawl', { path: { id }, body: { urls }, signal })),
});

/** Finds the row of a URL in a batch. @throws TidemarkError not_found */
async function pageOfBatch(id: string, url: string, { client, signal }: ToolContext): Promise<PageRow> {
  let cursor: string | undefined;
  for (let reads = 0; reads < BATCH_READS; reads += 1) {
    const query = { limit: BATCH_ROWS, ...(cursor === undefined ? {} : { cursor }) };
    const batch = await client.call('GET /scrape/{id}', { path: { id }, query, signal });
    const row = batch.data.find((each) => each.url === url || each.askedUrl === url);
    if (row !== undefined) return row;
    if (batch.next === null || batch.cursor === null || batch.data.length === 0) break;
    cursor = batch.cursor;
  }
  const message = `the job ${id} has no page ${url}; get_job without url lists its pages`;
  throw new TidemarkError({ code: 'not_found', message, status: 404 });
}

/** Returns the kind of a job by its id. Batches and maps have the same prefix: a job that is no batch is a map. */
async function kindOf(id: string, { client, signal }: ToolContext): Promise<JobKind> {
  if (id.startsWith('run_')) return 'crawl';
  try {
    await client.call('GET /scrape/{id}', { path: { id }, query: { limit: 1, formats: 'links' }, signal });
    return 'scrape';
  } catch (error) {
    if (error instanceof TidemarkError && error.code === 'not_found') return 'map';
    throw error;
  }
}

const getJob = tool('get_job', {
  kind: 'reads',
  description:
    'Read the state and the pages of a job: what scrape_urls, map_site, crawl_site, start_run or recrawl_pages started. With url, one page in full.',
  input: z.strictObject({
    kind: z.enum(JOB_KINDS).optional().describe('Not needed: the id shows it'),
    id: z.string().max(100),
    url: z.string().max(4_096).optional().describe('One page of the job; not for maps'),
    limit: Limit(INDEX_ROWS),
    cursor: Cursor,
    fields: Fields([...ROW_FIELDS, 'excerpts', ...PAGE_PARTS.filter((part) => part !== 'links')], 'page'),
    offset: Offset,
  }),
  output: JobResult,
  async run({ kind: named, id, url, offset, ...part }, context) {
    const { client, signal } = context;
    const kind = named ?? (await kindOf(id, context));
    if (kind === 'map') return shapeMap(await readMap(client, id, { signal, ...part }), part.limit);
    if (url === undefined) return await readPages(kind, rowReader(kind, id, context), part);
    const page =
      kind === 'scrape'
        ? await pageOfBatch(id, url, context)
        : await client.call('GET /crawl/{id}/page', { path: { id }, query: { url }, signal });
    return pageOfJob({ kind, id, url }, page, { fields: part.fields, offset });
  },
});

export const PAGE_TOOLS: readonly Tool[] = [listPages, getPage, getChanges, searchPages, recrawlPages, getJob];
