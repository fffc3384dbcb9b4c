import { CrawlConfig } from '../schemas/scrape-config.ts';
import { type CaptureOptions, toCaptureOptions } from './capture-options.ts';
import { type FieldOf, type RunScope, toScope } from './run-scope.ts';

/** What a run does, every value settled. */
export interface RunWish {
  readonly scope: RunScope;
  readonly options: CaptureOptions;
}

const isRunKey = (key: string): boolean => Object.hasOwn(CrawlConfig.shape, key);

/**
 * What a run does by a configuration, every value settled. Keys that are no matter of the run itself (who is told, what is compared)
 * are passed over. `fieldOf` says where in a request a key was asked for; within `config` where nothing is said.
 * @throws AppError validation (400) where two keys contradict each other
 */
export function toProjectRun(config: Readonly<Record<string, unknown>>, fieldOf?: FieldOf): RunWish {
  const own = CrawlConfig.parse(Object.fromEntries(Object.entries(config).filter(([key]) => isRunKey(key))));
  const options = toCaptureOptions({ config: own });
  const html = own.store_html === 'always' && !options.formats.includes('rawHtml') ? ['rawHtml' as const] : [];
  return {
    scope: toScope(own, fieldOf),
    options: { ...options, formats: [...options.formats, ...html], htmlOfHome: own.store_html !== 'always' },
  };
}
