import { CONFIG_KEYS, type routes } from '@tidemark/api';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { z } from 'zod';

type ScrapeBody = z.output<(typeof routes.startScrape)['body']>;

/**
 * What is to be done, every value settled: the short names of the request win over `config`, which wins over the defaults.
 * @throws AppError validation (400) where two fields contradict each other
 */
export function toCaptureOptions(body: ScrapeBody): CaptureOptions {
  const config = body.config ?? {};
  const renderJs = config.render_js ?? CONFIG_KEYS.render_js.fallback;
  const maxTier = config.max_tier ?? CONFIG_KEYS.max_tier.fallback;
  if (renderJs === 'always' && maxTier === 'http') {
    const message = 'config.render_js "always" needs a browser, which config.max_tier "http" rules out';
    throw new AppError('validation', message, {
      httpStatus: 400,
      detail: [{ loc: ['body', 'config', 'max_tier'], msg: message, type: 'contradiction' }],
    });
  }
  return {
    formats: [...(body.formats ?? body.scrapeOptions?.formats ?? config.formats ?? CONFIG_KEYS.formats.fallback)],
    onlyMainContent:
      body.scrapeOptions?.onlyMainContent ?? config.only_main_content ?? CONFIG_KEYS.only_main_content.fallback,
    renderJs,
    maxTier,
    respectRobots: config.respect_robots ?? CONFIG_KEYS.respect_robots.fallback,
    timeoutSeconds: config.timeout_seconds ?? CONFIG_KEYS.timeout_seconds.fallback,
    maxCredits: body.maxCredits ?? config.max_credits_per_page,
    minWords: config.min_words ?? CONFIG_KEYS.min_words.fallback,
  };
}
