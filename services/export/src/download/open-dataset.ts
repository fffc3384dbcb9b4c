import type { ArchivedPage } from '@tidemark/contracts/archive/v1/archive';
import type { ExportDatasetRequest } from '@tidemark/contracts/export/v1/export';
import { type DatasetColumn as Column, type Dataset, fieldColumns, type DatasetRow as Row } from '@tidemark/datasets';
import { AppError } from '@tidemark/errors';
import { openChanges } from './change-batches.ts';
import { LLMS_QUERY, llmsFullText, llmsText } from './llms-batches.ts';
import { openPages, openPagesByUrl } from './page-batches.ts';
import { toFieldsRow, toMarkdownRow, toPagesRow } from './page-rows.ts';
import type { OpenDataset, SourceContext } from './peers.ts';
import { rowsOfUrls } from './rows-of-urls.ts';
import { readRunToExport } from './run-to-export.ts';
import { readSiteTitle } from './site-title.ts';
import { openSitemap } from './sitemap-batches.ts';

/** A dataset that is ready to be read, with its columns. */
export interface OpenTable extends OpenDataset<Row> {
  readonly columns: readonly Column[];
  readonly unknownUrls: number;
}

/** The bodies that each dataset of pages reads, and the body that its pages must have. */
const BODIES: Readonly<Record<string, { bodies: readonly string[]; withBody?: string }>> = {
  pages: { bodies: ['head', 'fields', 'extraction'] },
  markdown: { bodies: ['markdown'], withBody: 'markdown' },
  fields: { bodies: ['fields'] },
  llms: { bodies: ['head'] },
  'llms-full': { bodies: ['markdown'], withBody: 'markdown' },
  evidence: { bodies: ['rawHtml', 'markdown'] },
};

/** Opens a dataset of a run or of a site. Reads its first batch, so that faults are found before the first byte. @throws AppError */
export async function openDataset(
  dataset: Dataset,
  request: ExportDatasetRequest,
  context: SourceContext,
): Promise<OpenTable> {
  const { projectId, runId, after } = request;
  if (dataset.name === 'sitemap') {
    const sitemap = await openSitemap(
      { projectId: requireField(projectId, 'project_id'), url: request.siteUrl, after, snapshotId: undefined },
      context,
    );
    return { ...rowsOfUrls(sitemap, request.urls), columns: dataset.columns, unknownUrls: 0 };
  }
  if (dataset.name === 'changes') {
    const ofProject = requireField(projectId, 'project_id');
    const changes = await openChanges({ projectId: ofProject, runId: requireField(runId, 'run_id'), after }, context);
    return { ...rowsOfUrls(changes, request.urls), columns: dataset.columns, unknownUrls: 0 };
  }
  const ofRun = requireField(runId, 'run_id');
  const run = await readRunToExport(ofRun, projectId, context);
  const { bodies = [], withBody } = BODIES[dataset.name] ?? {};
  const isText = dataset.name === 'llms' || dataset.name === 'llms-full';
  const q =
    isText && projectId !== undefined
      ? [LLMS_QUERY, ...(request.q === undefined ? [] : [request.q])].join(' ')
      : request.q;
  const selection = { bodies, withBody, q, after };
  const pages =
    request.urls.length === 0
      ? { ...(await openPages(run, selection, context)), unknownUrls: 0 }
      : await openPagesByUrl(run, request.urls, selection, context);
  const columns = dataset.name === 'fields' ? fieldColumns(run.fields) : dataset.columns;
  // Pages without fields have no row, and text datasets have no rows to count.
  const rows = dataset.name === 'fields' || isText || after > 0 ? undefined : pages.rows;
  if (!isText) return { ...pages, rows, columns, batches: rowsOf(dataset, pages.batches, ofRun) };
  const site = await readSiteTitle(run, request.siteName, context);
  const textOf = dataset.name === 'llms' ? llmsText : llmsFullText;
  return { ...pages, rows, columns, batches: textOf(pages.batches, site) };
}

function requireField(value: string | undefined, name: string): string {
  if (value === undefined) throw new AppError('validation', `${name}: required for this dataset`);
  return value;
}

function rowsOf(
  { name }: Dataset,
  batches: AsyncIterable<readonly ArchivedPage[]>,
  runId: string,
): AsyncIterable<readonly Row[]> {
  if (name === 'markdown') return mapRows(batches, (page) => toMarkdownRow(page, runId));
  if (name === 'fields') return mapRows(batches, (page) => toFieldsRow(page, runId));
  if (name === 'evidence') return mapRows(batches, (page): Row => ({ runId, page }));
  return mapRows(batches, (page) => toPagesRow(page, runId));
}

async function* mapRows(
  batches: AsyncIterable<readonly ArchivedPage[]>,
  toRow: (page: ArchivedPage) => Row | undefined,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) yield batch.map(toRow).filter((row) => row !== undefined);
}
