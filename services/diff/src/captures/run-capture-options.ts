import { createHash } from 'node:crypto';
import { toProjectRun } from '@tidemark/api';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import type { ReadingContext } from './to-page-reading.ts';

type Config = Readonly<Record<string, unknown>>;

/** How a run reads its pages, so that one can be read again as the run would. */
export interface RunCaptureOptions {
  readonly options: CaptureOptions;
  /** Fetches at once to a host, and milliseconds between two. */
  readonly concurrency: number;
  readonly delayMs: number;
}

/** How runs of a configuration read pages; undefined: it no longer settles. */
export function captureOptionsOf(config: Config): RunCaptureOptions | undefined {
  try {
    const { options, scope } = toProjectRun(config);
    const volatileSelectors = { selectors: stringsIn(config['volatile_selectors']) };
    return {
      options: { ...options, cutBlocks: true, volatileSelectors },
      concurrency: scope.concurrency,
      delayMs: scope.delayMs,
    };
  } catch {
    return undefined;
  }
}

/** What readings of a run with this configuration have in common. */
export const readingContextOf = (runId: string, config: Config): ReadingContext => ({
  runId,
  ignoreQuery: new Set(stringsIn(config['ignore_query'])),
  blockRulesKeyOf: blockRulesKeyOf(captureOptionsOf(config)),
});

/**
 * Names the rules of a configuration by which blocks are cut: blocks that were cut by others differ without a change of the page. What only
 * sets blocks aside is none of them.
 */
function blockRulesKeyOf(captureOptions: RunCaptureOptions | undefined): string | undefined {
  if (captureOptions === undefined) return undefined;
  const { includeSelectors, excludeSelectors, removeBanners } = captureOptions.options;
  const rules = [[...includeSelectors].sort(), [...excludeSelectors].sort(), removeBanners];
  return createHash('sha1').update(JSON.stringify(rules)).digest('base64url').slice(0, 16);
}

const stringsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
