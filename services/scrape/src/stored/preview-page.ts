import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { PreviewContentRequest, PreviewContentResponse } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError, isErrorCode } from '@tidemark/errors';
import type { ContentOptions } from '@tidemark/page-reader';
import type { CaptureOptions } from '../domain/capture-options.ts';
import { Unreadable } from '../reader/read-pool.ts';
import type { HtmlQuery, StoredResult, StoredTask } from '../reader/stored-task.ts';
import { isValidBodyRef } from './stored-content.ts';

const NO_HTML = 'the html of this page is not stored; store_html keeps it';

export interface RunStored {
  /** Runs a task on a reader thread, which also loads the stored bodies. */
  readonly runStored: (task: StoredTask, caller: QueryCaller) => Promise<StoredResult>;
}

/** The caller of a query. `signal` aborts when it disconnects. */
export interface QueryCaller {
  readonly workspaceId: string;
  readonly signal?: AbortSignal;
}

/**
 * Previews what content options extract from the stored html of a page. Nothing is fetched.
 * @throws AppError validation, not_found if its html is not stored, too_large if it cannot be read in time, unavailable
 */
export type PreviewPage = (
  page: PreviewContentRequest['page'],
  options: CaptureOptions,
  caller: QueryCaller,
) => Promise<PreviewContentResponse>;

export function makePreviewPage({ runStored }: RunStored): PreviewPage {
  return async (page, options, caller) => {
    if (page === undefined) throw new AppError('validation', 'a preview needs its page');
    const run = (task: StoredTask) => runStored(task, caller);
    const result = await queryHtml(run, page, { url: page.url, content: contentOf(options) });
    if (!('preview' in result)) throw new AppError('internal', 'the page could not be read');
    const { preview } = result;
    return {
      ...preview,
      title: preview.title ?? '',
      language: preview.language ?? '',
      removed: [...preview.removed],
      notes: [...preview.notes],
      fieldsJson: JSON.stringify(preview.fields),
    };
  };
}

/** Runs a query on a page's html. @throws AppError validation, not_found, too_large, and the errors of the blob store */
export async function queryHtml(
  run: (task: StoredTask) => Promise<StoredResult>,
  { content, httpStatus, reason }: Pick<PageRow, 'content' | 'httpStatus' | 'reason'>,
  query: HtmlQuery,
): Promise<StoredResult> {
  if (content === undefined) {
    // Without a response there was no html: robots.txt forbids the page, or its host did not respond.
    throw new AppError('not_found', httpStatus === 0 ? `the page was not fetched: ${reason}` : NO_HTML);
  }
  if (!isValidBodyRef(content)) throw new AppError('validation', 'the name of the bodies of this page is none');
  const { sha256, bytes } = content;
  const result = await run({ sha256, bytes, query }).catch(asTooLarge);
  if ('noHtml' in result || ('unreadable' in result && result.code === 'not_found'))
    throw new AppError('not_found', NO_HTML);
  if ('unreadable' in result)
    throw new AppError(isErrorCode(result.code) ? result.code : 'internal', result.unreadable);
  return result;
}

/** Returns the options that the reader threads use. */
export const contentOf = (options: CaptureOptions): ContentOptions => ({
  onlyMainContent: options.onlyMainContent,
  includeSelectors: options.includeSelectors,
  excludeSelectors: options.excludeSelectors,
  removeBanners: options.removeBanners,
  removeBase64Images: options.removeBase64Images,
  omitTitleHeading: options.omitTitleHeading,
  fields: options.fields,
  explain: true,
});

function asTooLarge(error: unknown): never {
  if (error instanceof Unreadable) throw new AppError('too_large', error.message);
  throw error;
}
