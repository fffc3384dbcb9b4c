import { type ArchivedPage, ArchiveServiceService as ArchiveRpc } from '@tidemark/contracts/archive/v1/archive';
import { CrawlServiceService as CrawlRpc } from '@tidemark/contracts/crawl/v1/crawl';
import { RunPage } from '@tidemark/contracts/page/v1/page';
import {
  type DatasetColumn as Column,
  DATASETS,
  fieldColumns,
  nullable,
  type DatasetRow as Row,
} from '@tidemark/datasets';
import { AppError } from '@tidemark/errors';
import type { Sync } from '../domain/sync.ts';
import { openChanges } from '../download/change-batches.ts';
import { openPages } from '../download/page-batches.ts';
import { timeOf, toFieldsRow, toMarkdownRow, toPagesRow } from '../download/page-rows.ts';
import type { SourceContext } from '../download/peers.ts';
import { readRunToExport } from '../download/run-to-export.ts';
import type { KeyedBatch, KeyedRow } from './keyed-row.ts';
import { NO_CHANGES, type PageChanges, readPageChanges } from './page-changes.ts';
import { sitemapBatches } from './sitemap-rows.ts';

/** The rows of a run or a job, in a fixed order. */
export interface SyncRows {
  /** Columns of the dataset; of `fields`, with a column per configured field. */
  readonly columns: readonly Column[];
  /** Reads the rows behind a position. */
  read(after: number): AsyncIterable<KeyedBatch>;
}

const FIELDS = nullable('fields', 'json', 'The configured fields by name');
const PAGES_AT_ONCE = 200;
const BATCH_DEADLINE_MS = 60_000;
/** Longest time the archive waits for the pages of an ended job, ms: their events are on the way. */
const WAIT_MS = 10_000;

const BODIES: Readonly<Record<string, { readonly bodies: readonly string[]; readonly withBody?: string }>> = {
  pages: { bodies: ['head', 'fields', 'extraction'] },
  markdown: { bodies: ['markdown'], withBody: 'markdown' },
  fields: { bodies: ['fields'] },
};

type Subject = Pick<Sync, 'sourceKind' | 'sourceId' | 'projectId' | 'dataset' | 'runAt' | 'pages' | 'createdAt'>;

/** Opens the rows of a sync. `withChanges`: with how each page differs from the run before. @throws AppError not_found if the run or job was deleted, unavailable */
export async function openSyncRows(
  subject: Subject,
  context: SourceContext,
  { withChanges }: { readonly withChanges: boolean },
): Promise<SyncRows> {
  const columns = DATASETS.find(({ name }) => name === subject.dataset)?.columns ?? [];
  if (subject.dataset === 'changes') return { columns, read: (after) => changeBatches(subject, after, context) };
  if (subject.dataset === 'sitemap') return { columns, read: (after) => sitemapBatches(subject, after, context) };
  if (subject.sourceKind === 'batch' || subject.sourceKind === 'scrape')
    return {
      // The configured fields of a job are not known before its pages: they are one column.
      columns: subject.dataset === 'fields' ? [...columns, FIELDS] : columns,
      read: (after) => mapPages(jobPages(subject, after, context), rowMaker(subject, NO_CHANGES)),
    };
  const run = await readRun(subject, context);
  const isCompared = withChanges && subject.sourceKind === 'run' && subject.projectId !== '';
  const { bodies, withBody } = BODIES[subject.dataset] ?? { bodies: [], withBody: undefined };
  return {
    columns: subject.dataset === 'fields' ? fieldColumns(run.fields) : columns,
    async *read(after) {
      const { batches } = await openPages(run, { bodies, withBody, q: undefined, after }, context);
      const changes = isCompared ? await readPageChanges(subject, context) : NO_CHANGES;
      yield* mapPages(batches, rowMaker(subject, changes));
    },
  };
}

/** Reads the run. A crawl may have become the run of a project. */
async function readRun({ sourceKind, sourceId, projectId }: Subject, context: SourceContext) {
  if (sourceKind === 'run') return readRunToExport(sourceId, projectId, context);
  const request = { id: sourceId, withLog: false, withConfig: false };
  const { run } = await context.peers.crawl.call(CrawlRpc.getRun, request, context.call);
  return readRunToExport(sourceId, run?.projectId, context);
}

/** Reads the pages of a scrape or a batch in the order of their ids. */
async function* jobPages(
  { sourceId: jobId, pages: expected }: Subject,
  after: number,
  { peers, call, signal }: SourceContext,
): AsyncGenerator<readonly ArchivedPage[]> {
  let number = 0;
  for (let cursor = ''; ; ) {
    const bodies = ['head', 'fields', 'markdown'];
    const request = {
      jobId,
      cursor,
      limit: PAGES_AT_ONCE,
      bodies,
      expect: Math.min(PAGES_AT_ONCE, Math.max(1, expected - number)),
      waitMs: WAIT_MS,
      ids: [],
    };
    const options = { deadlineMs: BATCH_DEADLINE_MS, signal };
    const { pages, nextCursor } = await peers.archive.call(ArchiveRpc.listPages, request, call, options);
    const numbered = pages.map((page): ArchivedPage => {
      number += 1;
      return { page, known: RunPage.fromPartial({ pageId: page.row?.id ?? '', number, foundVia: 'list' }) };
    });
    const rest = numbered.filter(({ known }) => (known?.number ?? 0) > after);
    if (rest.length > 0) yield rest;
    if (nextCursor === undefined || pages.length === 0) break;
    cursor = nextCursor;
  }
  if (number < expected)
    throw new AppError('unavailable', `${expected - number} of ${expected} pages of the job are not stored yet`);
}

async function* mapPages(
  batches: AsyncIterable<readonly ArchivedPage[]>,
  toRow: (page: ArchivedPage) => KeyedRow | undefined,
): AsyncGenerator<KeyedBatch> {
  for await (const batch of batches)
    yield {
      rows: batch.map(toRow).filter((row) => row !== undefined),
      last: Math.max(...batch.map(({ known }) => known?.number ?? 0)),
    };
}

function rowMaker({ dataset, sourceId }: Subject, changeOf: PageChanges): (page: ArchivedPage) => KeyedRow | undefined {
  return (page) => {
    const row = toDatasetRow(dataset, page, sourceId);
    if (row === undefined) return undefined;
    const { url = '', verdict = '', crawledAt = new Date(0) } = page.page?.row ?? {};
    return { row, key: [row['url']], crawledAt, change: changeOf({ url, verdict }) };
  };
}

function toDatasetRow(dataset: string, page: ArchivedPage, runId: string): Row | undefined {
  if (dataset === 'pages') return toPagesRow(page, runId);
  if (dataset === 'markdown')
    return page.page?.row?.formats.includes('markdown') === true ? toMarkdownRow(page, runId) : undefined;
  if (dataset === 'fields') return withFields(toFieldsRow(page, runId));
  throw new AppError('internal', `the dataset ${dataset} has no rows for destinations`);
}

/** Adds the configured fields as one value, which expressions read. */
function withFields(row: Row | undefined): Row | undefined {
  if (row === undefined) return undefined;
  const { runId, url, crawledAt, ...fields } = row;
  return { fields, ...row };
}

async function* changeBatches(
  { projectId, sourceId, runAt }: Subject,
  after: number,
  context: SourceContext,
): AsyncGenerator<KeyedBatch> {
  const { batches } = await openChanges({ projectId, runId: sourceId, after }, context);
  for await (const batch of batches) {
    const crawledAt = new Date(timeOf(runAt));
    const rows = batch.map((row) => ({ row, key: [row['runId'], row['id']], crawledAt, change: undefined }));
    yield { rows, last: Math.max(after, ...batch.map(({ place }) => Number(place))) };
  }
}
