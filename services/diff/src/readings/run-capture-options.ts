import { createHash } from 'node:crypto';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { type Settings, toProjectRun } from '@tidemark/project-config';
import type { ReadingContext } from './to-page-reading.ts';

/** Capture options of a run, to capture a page again as the run would. */
export interface RunCaptureOptions {
  readonly options: CaptureOptions;
  /** Maximum concurrent fetches per host, and minimum delay between two starts. */
  readonly concurrency: number;
  readonly delayMs: number;
}

/** Returns the capture options of a configuration; undefined if it is no longer valid. */
export function captureOptionsOf(config: Settings): RunCaptureOptions | undefined {
  try {
    const { options, scope } = toProjectRun(config);
    const volatileSelectors = { selectors: [...(config.volatile_selectors ?? [])] };
    return {
      options: { ...options, cutBlocks: true, volatileSelectors },
      concurrency: scope.concurrency,
      delayMs: scope.delayMs,
    };
  } catch {
    return undefined;
  }
}

/** Returns what all readings of a run with this configuration share. */
export const readingContextOf = (runId: string, config: Settings): ReadingContext => ({
  runId,
  query: { ignoreQuery: new Set(config.ignore_query), keepTracking: config.keep_tracking === true },
  blockRulesKeyOf: blockRulesKeyOf(captureOptionsOf(config)),
});

/**
 * Returns a hash of the settings that select blocks. Blocks selected by other settings differ without a change of the
 * page. Settings that only mark blocks volatile are not part of it.
 */
function blockRulesKeyOf(captureOptions: RunCaptureOptions | undefined): string | undefined {
  if (captureOptions === undefined) return undefined;
  const { includeSelectors, excludeSelectors, removeBanners } = captureOptions.options;
  const rules = [[...includeSelectors].sort(), [...excludeSelectors].sort(), removeBanners];
  return createHash('sha1').update(JSON.stringify(rules)).digest('base64url').slice(0, 16);
}
