import { type CaptureOptions, type Format, resolveCapture, type ScrapeConfig } from '@tidemark/project-config';
import type { ScrapeOptions } from '../schemas/scrape-options.ts';

/** The parts of a request that configure how a page is captured. */
export interface CaptureRequest {
  readonly formats?: Format[] | undefined;
  readonly config?: ScrapeConfig | undefined;
  readonly scrapeOptions?: ScrapeOptions | undefined;
  readonly maxCredits?: number | undefined;
  readonly maxAge?: number | undefined;
}

/**
 * Resolves the capture options of a request. Short names take precedence over `config`, and `config` over the defaults.
 * @throws AppError validation (400) if two fields contradict each other
 */
export function toCaptureOptions(request: CaptureRequest): CaptureOptions {
  const { config = {}, scrapeOptions: short = {} } = request;
  return resolveCapture({
    ...config,
    formats: request.formats ?? short.formats ?? config.formats,
    max_credits_per_page: request.maxCredits ?? config.max_credits_per_page,
    max_age_seconds: request.maxAge ?? short.maxAge ?? config.max_age_seconds,
    only_main_content: short.onlyMainContent ?? config.only_main_content,
    include_selectors: short.includeSelectors ?? config.include_selectors,
    exclude_selectors: short.excludeSelectors ?? config.exclude_selectors,
    wait_for: short.waitFor ?? config.wait_for,
    actions: short.actions ?? config.actions,
    headers: short.headers ?? config.headers,
    fields: short.fields ?? config.fields,
    screenshot: short.screenshot ?? config.screenshot,
  });
}
