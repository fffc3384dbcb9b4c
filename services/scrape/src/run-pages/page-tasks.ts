import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { PageOrder, PageWork } from '@tidemark/contracts/scrape/v1/work';
import { AppError } from '@tidemark/errors';
import { type CaptureOptions, toCaptureOptions, withExtractionInput, withFormats } from '../domain/capture-options.ts';
import { contentVariantKeyOf } from '../domain/compared.ts';
import { captureKey, type PageTask } from '../domain/page-task.ts';

/**
 * Returns a function that makes the capture tasks of a work message's pages. Shared values are computed once.
 * @throws AppError validation if the message has no options
 */
export function makeTaskOf({ runId, workspaceId, options, repeatedBlocks }: PageWork): (page: PageOrder) => PageTask {
  if (options === undefined) throw new AppError('validation', 'a page needs its options');
  const requested = toCaptureOptions(options);
  // The frontier needs links, whatever formats were requested.
  const stored = requested.htmlOfPages ? (['links', 'rawHtml'] as const) : (['links'] as const);
  const usual = withFormats(withExtractionInput(requested), stored);
  const ofHome = requested.htmlOfHome ? withFormats(usual, ['rawHtml']) : usual;
  const key = captureKey(requested);
  const contentVariant = requested.cutBlocks === true ? { contentVariantKey: contentVariantKeyOf(requested) } : {};
  return ({ captureId, url, earlier, isHome }) => {
    const whole = isHome ? ofHome : usual;
    return {
      jobId: runId,
      captureId,
      workspaceId,
      url,
      options: whole,
      session: runId,
      priority: 'run',
      repeatedBlocks,
      ...contentVariant,
      ...(earlier !== undefined && standsFor(earlier, key, whole) ? { earlier } : {}),
    };
  };
}

/** Returns true if the earlier page has the same capture key and all required formats. */
const standsFor = (earlier: PageRow, key: string, { formats }: CaptureOptions): boolean =>
  earlier.captureKey === key && formats.every((format) => earlier.formats.includes(format));
