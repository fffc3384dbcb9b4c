import { requiredEngine } from '@tidemark/catalogue/required-engine';
import type { PageFormat } from '@tidemark/contracts/page/v1/page';
import type { CaptureOptions as WireOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { Tier } from './tier.ts';

const WORDS = {
  renderJs: ['auto', 'always', 'never'],
  maxTier: ['http', 'browser'],
  useProxy: ['auto', 'always', 'never'],
  device: ['desktop', 'mobile'],
  screenshot: ['none', 'viewport', 'full'],
} as const;

/** The options of a capture with all defaults resolved. Closed sets are string literals. */
export interface CaptureOptions extends Omit<WireOptions, keyof typeof WORDS> {
  readonly renderJs: (typeof WORDS.renderJs)[number];
  readonly maxTier: Tier;
  readonly useProxy: (typeof WORDS.useProxy)[number];
  readonly device: (typeof WORDS.device)[number];
  readonly screenshot: (typeof WORDS.screenshot)[number];
}

function oneOf<T extends string>(words: readonly T[], value: string, name: string): T {
  const found = words.find((word) => word === value);
  if (found === undefined) throw new AppError('validation', `${name}: expected ${words.join(', ')}; got "${value}"`);
  return found;
}

/**
 * Parses options from a message or a database row.
 * @throws AppError validation if a value is not in its closed set
 */
export function toCaptureOptions(options: WireOptions): CaptureOptions {
  return {
    ...options,
    renderJs: oneOf(WORDS.renderJs, options.renderJs, 'render_js'),
    maxTier: oneOf(WORDS.maxTier, options.maxTier, 'max_tier'),
    useProxy: oneOf(WORDS.useProxy, options.useProxy || 'auto', 'use_proxy'),
    device: oneOf(WORDS.device, options.device || 'desktop', 'device'),
    screenshot: oneOf(WORDS.screenshot, options.screenshot || 'none', 'screenshot'),
  };
}

/** Returns true if the options can only be fulfilled by a browser. */
export const needsBrowser = (options: CaptureOptions): boolean => requiredEngine(options) === 'browser';

/** Adds formats that are needed in addition to the requested ones. */
export const withFormats = (options: CaptureOptions, needed: readonly PageFormat[]): CaptureOptions => ({
  ...options,
  formats: [...options.formats, ...needed.filter((one) => !options.formats.includes(one))],
});

/** Adds the format that an extraction reads. Without an extraction the options are returned unchanged. */
export const withExtractionInput = (options: CaptureOptions): CaptureOptions =>
  options.extract === undefined ? options : withFormats(options, ['markdown']);
