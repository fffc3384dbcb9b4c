import { type CaptureOptions, resolveCapture } from './capture-options.ts';
import { type FieldOf, type RunScope, toScope } from './run-scope.ts';
import { CrawlConfig } from './scrape-config.ts';

/** A run with all defaults filled in. */
export interface ResolvedRun {
  readonly scope: RunScope;
  readonly options: CaptureOptions;
}

const isRunKey = (key: string): boolean => Object.hasOwn(CrawlConfig.shape, key);

/**
 * Resolves a configuration into a run. Keys that do not affect the run itself (notifications, comparison) are ignored.
 * `fieldOf` returns where a request sets a key; by default inside `config`.
 * @throws AppError validation (400) if two keys contradict each other
 */
export function toProjectRun(config: Readonly<Record<string, unknown>>, fieldOf?: FieldOf): ResolvedRun {
  const own = CrawlConfig.parse(Object.fromEntries(Object.entries(config).filter(([key]) => isRunKey(key))));
  const options = resolveCapture(own);
  return {
    scope: toScope(own, fieldOf),
    options: { ...options, htmlOfHome: own.store_html !== 'always', htmlOfPages: own.store_html === 'always' },
  };
}
