import { AppError } from '@tidemark/errors';
import type { Action, WaitFor } from './config-values.ts';
import { DEFAULT_MAX_TOKENS } from './extract-config.ts';
import type { ScrapeConfig } from './scrape-config.ts';
import { withFallback } from './with-fallback.ts';

/** How a page is captured, with all defaults filled in, in the shape used between services. */
export type CaptureOptions = ReturnType<typeof resolveOptions>;

/**
 * Resolves the capture options of a configuration.
 * @throws AppError validation (400) if two keys contradict each other
 */
export function resolveCapture(config: ScrapeConfig): CaptureOptions {
  const options = resolveOptions(config);
  rejectContradictions(options);
  return options;
}

function resolveOptions(config: ScrapeConfig) {
  return {
    formats: [...withFallback(config, 'formats')],
    onlyMainContent: withFallback(config, 'only_main_content'),
    renderJs: withFallback(config, 'render_js'),
    maxTier: withFallback(config, 'max_tier'),
    respectRobots: withFallback(config, 'respect_robots'),
    timeoutSeconds: withFallback(config, 'timeout_seconds'),
    maxCredits: config.max_credits_per_page,
    minWords: withFallback(config, 'min_words'),
    useProxy: withFallback(config, 'use_proxy'),
    country: config.country?.toUpperCase(),
    maxAgeSeconds: withFallback(config, 'max_age_seconds'),
    headers: config.headers ?? {},
    cookies: config.cookies ?? {},
    device: withFallback(config, 'device'),
    userAgent: config.user_agent,
    waitFor: toWaitFor(config.wait_for),
    actions: (config.actions ?? []).map(toAction),
    blockResources: withFallback(config, 'block_resources'),
    retries: withFallback(config, 'retries'),
    includeSelectors: [...(config.include_selectors ?? [])],
    excludeSelectors: [...(config.exclude_selectors ?? [])],
    removeBanners: withFallback(config, 'remove_banners'),
    removeBase64Images: withFallback(config, 'remove_base64_images'),
    omitTitleHeading: withFallback(config, 'omit_title_heading'),
    languages: [...(config.languages ?? [])],
    fields: toFields(config.fields ?? {}),
    parseDocuments: withFallback(config, 'parse_documents'),
    screenshot: withFallback(config, 'screenshot'),
    explain: false,
    htmlOfHome: false,
    htmlOfPages: false,
    loginId: config.login_id,
    extract: toExtract(config.extract),
  };
}

function toWaitFor(waitFor: WaitFor | undefined) {
  if (waitFor === undefined || waitFor === 0) return undefined;
  if (typeof waitFor === 'number') return { selector: '', ms: waitFor, networkIdle: false };
  const networkIdle = waitFor === 'network_idle';
  return { selector: networkIdle ? '' : waitFor, ms: 0, networkIdle };
}

/** Converts an action to the shape used between services. */
export function toAction(action: Action) {
  const blank = { kind: action.type, selector: action.selector ?? '', text: '', ms: 0 };
  switch (action.type) {
    case 'type':
      return { ...blank, text: action.text };
    case 'press':
      return { ...blank, text: action.key };
    case 'scroll':
      return { ...blank, text: action.to };
    case 'wait':
      return { ...blank, ms: action.ms };
    case 'select':
      return { ...blank, text: action.value };
    default:
      return blank;
  }
}

const NO_MODEL: Buffer = Buffer.alloc(0);

/** The model is added, sealed, when the job starts. */
const toExtract = (extract: ScrapeConfig['extract']) =>
  extract && {
    connectionId: extract.connection_id,
    schemaJson: JSON.stringify(extract.schema),
    prompt: extract.prompt ?? '',
    sealedModel: NO_MODEL,
    maxTokens: extract.max_tokens ?? DEFAULT_MAX_TOKENS,
  };

const toFields = (fields: NonNullable<ScrapeConfig['fields']>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { selector, attribute, type, many }]) => [
      name,
      { selector, attribute, type, many },
    ]),
  );

/** Rejects options that require a browser where the request excludes browsers. */
function rejectContradictions(options: CaptureOptions): void {
  const rules: readonly (readonly [boolean, string])[] = [
    [options.renderJs === 'always', 'render_js "always"'],
    [options.screenshot !== 'none', 'screenshot'],
    [options.actions.length > 0, 'actions'],
    [options.waitFor !== undefined && options.waitFor.ms === 0, 'wait_for with a selector or network_idle'],
  ];
  const needs = rules.find(([holds]) => holds)?.[1];
  if (needs === undefined) return;
  const excludedBy =
    options.renderJs === 'never' ? 'render_js "never"' : options.maxTier === 'http' ? 'max_tier "http"' : undefined;
  if (excludedBy !== undefined) {
    const key = excludedBy.split(' ')[0] ?? '';
    const message = `config.${needs} requires a browser, which config.${excludedBy} excludes`;
    throw new AppError('validation', message, {
      httpStatus: 400,
      detail: [{ loc: ['body', 'config', key], msg: message, type: 'contradiction' }],
    });
  }
}
