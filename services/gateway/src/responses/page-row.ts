import type { PageRow } from '@tidemark/api';
import { toProductValues } from '@tidemark/contracts';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import { type Extraction, PageBodies, type PageRow as WireRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { Format } from '@tidemark/project-config';
import { ERROR_CODES, VERDICTS } from '@tidemark/results';
import type { ListedPage } from '../queries/job-reader.ts';
import { projectIdOf } from '../queries/run-project.ts';

/** Bodies of every row, in addition to the requested formats. */
export const ROW_BODIES = ['head', 'fields', 'extraction'] as const;

/** REST fields of each body format. The format `rawHtml` is returned in the field `html`. */
const BODIES = {
  markdown: (bodies) => ({ markdown: bodies.markdown ?? null }),
  text: (bodies) => ({ text: bodies.text ?? null }),
  cleanHtml: (bodies) => ({ cleanHtml: bodies.cleanHtml ?? null }),
  rawHtml: (bodies) => ({ html: bodies.rawHtml ?? null }),
  links: (bodies) => ({ links: bodies.linksJson === undefined ? null : JSON.parse(bodies.linksJson) }),
} as const satisfies Record<Format, (bodies: PageBodies) => Partial<PageRow>>;

const isFormat = (name: string): name is Format => Object.hasOwn(BODIES, name);

function known<T extends string>(values: readonly T[], value: string, what: string): T {
  const found = values.find((each) => each === value);
  if (found === undefined) throw new AppError('internal', `a page has the unknown ${what} ${value}`);
  return found;
}

const SHAPES = ['listing', 'table', 'form', 'empty'] as const;

function toRow(row: WireRow): Omit<PageRow, 'fields' | 'screenshot' | 'head'> {
  return {
    id: row.id,
    url: row.url,
    askedUrl: row.askedUrl,
    httpStatus: row.httpStatus === 0 ? null : row.httpStatus,
    status: 'done',
    verdict: known(VERDICTS, row.verdict, 'verdict'),
    errorCode: known(ERROR_CODES, row.errorCode, 'errorCode'),
    shape: row.shape === undefined ? null : known(SHAPES, row.shape, 'shape'),
    warnings: row.warnings,
    signals: row.signals,
    reason: row.reason,
    method: row.method || null,
    tier: row.tier || null,
    climbedTo: row.climbedTo ?? null,
    credits: row.credits,
    billedAs: row.billedAs ?? null,
    words: row.words,
    language: row.language ?? null,
    title: row.title ?? null,
    widget: row.widget ?? null,
    solved: row.solved ?? null,
    exitBytes: row.exitBytes,
    redirects: row.redirects,
    charset: row.charset || null,
    crawledAt: (row.crawledAt ?? new Date(0)).toISOString(),
    timingsMs: row.timingsMs,
    product: toProductValues(row.product),
  };
}

type Extracted = Pick<PageRow, 'extracted' | 'extraction' | 'extractError'>;

function toExtracted(extraction: Extraction | undefined): Extracted {
  if (extraction === undefined) return {};
  const { valueJson, model, inputTokens, outputTokens, isCached, isTruncated, errorCode: code, error } = extraction;
  return {
    extracted: valueJson === undefined ? null : JSON.parse(valueJson),
    extraction: { model, inputTokens, outputTokens, cached: isCached, truncated: isTruncated },
    extractError: code === undefined ? null : { code, message: error },
  };
}

/** Links to the attachments of a page. */
export interface PageLinks {
  screenshotOf(page: Pick<WireRow, 'id' | 'askedUrl'>): string;
}

export const pageLinks = (
  baseUrl: string,
  jobId: string,
  kind: 'scrape' | 'playground' | 'crawl' = 'scrape',
): PageLinks => ({
  screenshotOf: ({ id }) =>
    kind === 'playground'
      ? `${baseUrl}/playground/${jobId}/screenshot`
      : `${baseUrl}/${kind}/${jobId}/screenshot?page=${id}`,
});

/** Links to the attachments of a page of a project. */
export function projectPageLinks(baseUrl: string, run: Pick<Run, 'id' | 'projectId'>): PageLinks {
  const pages = `${baseUrl}/projects/${projectIdOf(run)}/pages`;
  return {
    screenshotOf: ({ askedUrl }) => `${pages}/screenshot?run_id=${run.id}&url=${encodeURIComponent(askedUrl)}`,
  };
}

/** Converts a page to its REST row with the requested bodies. */
export function toPageRow(page: ListedPage, formats: readonly string[], links: PageLinks): PageRow {
  if (page.row === undefined) throw new AppError('internal', 'a page has no row');
  const bodies = PageBodies.decode(page.bodies);
  const requested = formats.filter(isFormat).map((format) => BODIES[format](bodies));
  const head = bodies.headJson === undefined ? null : JSON.parse(bodies.headJson);
  const fields = bodies.fieldsJson === undefined ? null : JSON.parse(bodies.fieldsJson);
  const screenshot = page.row.screenshot === undefined ? null : links.screenshotOf(page.row);
  const inputs = page.inputs === undefined ? {} : { inputs: [...page.inputs] };
  const extracted = toExtracted(bodies.extraction);
  return Object.assign({ ...toRow(page.row), ...inputs, fields, ...extracted, screenshot, head }, ...requested);
}
