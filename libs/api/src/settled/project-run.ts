import { AppError } from '@tidemark/errors';
import { CrawlConfig } from '../schemas/scrape-config.ts';
import { type CaptureOptions, toCaptureOptions } from './capture-options.ts';
import { type RunScope, toScope } from './run-scope.ts';

const isRunKey = (key: string): boolean => Object.hasOwn(CrawlConfig.shape, key);

/**
 * What a run of a project does by the project's saved configuration, every value settled. Keys that are no matter of the run itself
 * (who is told, what is compared) are passed over.
 * @throws AppError validation (400) where two keys contradict each other, or one asks for what a run cannot do yet
 */
export function toProjectRun(config: Readonly<Record<string, unknown>>): { scope: RunScope; options: CaptureOptions } {
  refuseLogin(config);
  const own = CrawlConfig.parse(Object.fromEntries(Object.entries(config).filter(([key]) => isRunKey(key))));
  const options = toCaptureOptions({ config: own });
  const html = config['store_html'] === 'always' && !options.formats.includes('rawHtml') ? ['rawHtml' as const] : [];
  return { scope: toScope({ config: own }), options: { ...options, formats: [...options.formats, ...html] } };
}

/** A run never falls back to fetching signed out. */
function refuseLogin({ login_id: loginId }: Readonly<Record<string, unknown>>): void {
  if (typeof loginId !== 'string') return;
  const message = 'config.login_id: there is no such saved login, and a run never goes on signed out';
  throw new AppError('validation', message, {
    httpStatus: 400,
    detail: [{ loc: ['body', 'config', 'login_id'], msg: message, type: 'not_found' }],
  });
}
