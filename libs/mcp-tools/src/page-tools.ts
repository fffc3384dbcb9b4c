import { routes } from '@tidemark/api';
import { TidemarkError } from '@tidemark/sdk';
import { z } from 'zod';
import { JOB_KINDS, jobState, readMap, readPages, rowReader, shapeMap } from './job-results.ts';
import { ProjectId, RunId } from './parameters.ts';
import { shapeChanges } from './shape-changes.ts';
import { cut, EXCERPT_CHARS, indexRow, shapePage, UNTRUSTED } from './shape-pages.ts';
import { type Tool, type ToolContext, type ToolResult, tool } from './tool.ts';

const search = routes.searchPages.body.shape;
/** Requests of a batch that are searched for one URL: a batch has at most 500 rows. */
const BATCH_ROWS = 100;
const BATCH_READS = 5;
/** Characters of one search hit; all hits stay within the budget of excerpts. */
const SNIPPET_CHARS = 300;

const listPages = tool('list_pages', {
  kind: 'reads',
  description:
    'List the stored pages of a run of a project, with excerpts. Use search_pages to find text, get_page to read one.',
  input: z.strictObject({ project_id: ProjectId, run_id: RunId }),
  async run({ project_id: id, run_id }, { client, signal }) {
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
  input: z.strictObject({ project_id: ProjectId, url: routes.getPageContent.query.shape.url, run_id: RunId }),
  async run({ project_id: id, ...query }, { client, signal }) {
    const page = await client.call('GET /projects/{id}/pages/content', { path: { id }, query, signal });
    const { runId, versions } = page;
    return { ...shapePage(page), runId, versions: versions.slice(0, 20) };
  },
});

const getChanges = tool('get_changes', {
  kind: 'reads',
  description:
    'Read what changed between a run of a project and the state before it: added, removed and modified pages with their words.',
  input: z.strictObject({ project_id: ProjectId, run_id: RunId }),
  async run({ project_id: id, run_id }, { client, signal }) {
    const query = { limit: 200, ...(run_id === undefined ? {} : { run_id }) };
    return shapeChanges(await client.call('GET /projects/{id}/changes', { path: { id }, query, signal }));
  },
});

const searchPages = tool('search_pages', {
  kind: 'reads',
  description: 'Search the stored pages of a run by words or, with mode selector, by CSS or XPath. Nothing is fetched.',
  input: z.strictObject({ project_id: ProjectId, q: search.q, mode: search.mode, run_id: RunId }),
  async run({ project_id: id, ...body }, { client, signal }) {
    const found = await client.call('POST /projects/{id}/pages/search', {
      path: { id },
      body: { ...body, limit: 100 },
      signal,
    });
    const { data, runId, scanned, withoutBody, total, next } = found;
    let left = EXCERPT_CHARS;
    const snippet = (text: string): string[] => {
      const shown = cut(text, Math.min(SNIPPET_CHARS, left));
      left -= shown.length;
      return shown === '' ? [] : [shown];
    };
    const pages = data.map((page) => ({
      ...indexRow(page),
      matches: page.matches,
      untrusted_text: page.excerpts.flatMap(({ text }) => snippet(text)),
    }));
    return { notice: UNTRUSTED, runId, scanned, withoutBody, total, pages, truncated: next !== null };
  },
});

const recrawlPages = tool('recrawl_pages', {
  kind: 'captures',
  description:
    'Fetch exactly these pages of a project again, as a run of its own. Poll it with get_job; get_changes with its run_id compares.',
  input: z.strictObject({ project_id: ProjectId, urls: routes.recrawlPages.body.shape.urls }),
  run: async ({ project_id: id, urls }, { client, signal }) =>
    jobState('run', await client.call('POST /projects/{id}/pages/recrawl', { path: { id }, body: { urls }, signal })),
});

/** Finds the row of a URL in a batch. @throws TidemarkError not_found */
async function pageOfBatch(id: string, url: string, { client, signal }: ToolContext): Promise<ToolResult> {
  let cursor: string | undefined;
  for (let reads = 0; reads < BATCH_READS; reads += 1) {
    const query = { limit: BATCH_ROWS, ...(cursor === undefined ? {} : { cursor }) };
    const batch = await client.call('GET /scrape/{id}', { path: { id }, query, signal });
    const row = batch.data.find((each) => each.url === url || each.askedUrl === url);
    if (row !== undefined) return { ...jobState('scrape', batch), ...shapePage(row) };
    if (batch.next === null || batch.cursor === null || batch.data.length === 0) break;
    cursor = batch.cursor;
  }
  const message = `the job ${id} has no page ${url}; get_job without url lists its pages`;
  throw new TidemarkError({ code: 'not_found', message, status: 404 });
}

const getJob = tool('get_job', {
  kind: 'reads',
  description:
    'Read the state and the pages of a job: what scrape_urls, map_site, crawl_site, start_run or recrawl_pages started. With url, one page in full.',
  input: z.strictObject({
    kind: z.enum(JOB_KINDS),
    id: z.string().max(100),
    url: z.string().max(4_096).optional().describe('One page of the job; not for maps'),
    cursor: z.string().max(2_000).optional().describe('From next of a previous result'),
  }),
  async run({ kind, id, url, cursor }, context) {
    const { client, signal } = context;
    if (kind === 'map')
      return shapeMap(await readMap(client, id, { signal, ...(cursor === undefined ? {} : { cursor }) }));
    if (url === undefined) return await readPages(kind, rowReader(kind, id, context), cursor);
    if (kind === 'scrape') return await pageOfBatch(id, url, context);
    const page = await client.call('GET /crawl/{id}/page', { path: { id }, query: { url }, signal });
    return { job: { kind, id }, ...shapePage(page) };
  },
});

export const PAGE_TOOLS: readonly Tool[] = [listPages, getPage, getChanges, searchPages, recrawlPages, getJob];
