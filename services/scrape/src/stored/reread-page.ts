import { PageBodies } from '@tidemark/contracts/page/v1/page';
import type { RereadStoredRequest, RereadStoredResponse } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { CaptureOptions } from '../domain/capture-options.ts';
import { comparedColumns } from '../domain/compared.ts';
import type { StoredTask } from '../reader/stored-task.ts';
import { contentOf, type QueryCaller, queryHtml, type RunStored } from './preview-page.ts';

/**
 * Returns what a capture with these options would find on the stored html of a page, so that a page captured under other rules can be compared
 * under the current ones. Nothing is fetched. Stops if the caller cancels.
 * @throws AppError validation, not_found if its html is not stored, too_large if it cannot be read in time, unavailable
 */
export type RereadPage = (
  page: RereadStoredRequest['page'],
  options: CaptureOptions,
  caller: QueryCaller,
) => Promise<RereadStoredResponse>;

export function makeRereadPage({ runStored }: RunStored): RereadPage {
  return async (page, options, caller) => {
    if (page === undefined) throw new AppError('validation', 'the page is missing');
    const cut = { volatileSelectors: options.volatileSelectors?.selectors ?? [] };
    const content = { ...contentOf(options), explain: false };
    const run = (task: StoredTask) => runStored(task, caller);
    const stored = await queryHtml(run, page, { url: page.url, content, cut });
    if (!('reread' in stored)) throw new AppError('internal', 'the page could not be read');
    const { title, language, words, compared, blocks, fieldsJson } = stored.reread;
    const bodies = PageBodies.encode(PageBodies.create({ blocks: Buffer.from(blocks), fieldsJson })).finish();
    return {
      page: { row: { ...page, title, language, words, ...comparedColumns(compared) }, bodies: Buffer.from(bodies) },
    };
  };
}
