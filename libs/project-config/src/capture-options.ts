import { AppError } from '@tidemark/errors';
import { CONFIG_KEYS } from './config.ts';
import type { Action, WaitFor } from './config-values.ts';
import { DEFAULT_MAX_TOKENS } from './extract-config.ts';
import type { ScrapeConfig } from './scrape-config.ts';

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
    formats: [...(config.formats ?? CONFIG_KEYS.formats.fallback)],
    onlyMainContent: config.only_main_content ?? CONFIG_KEYS.only_main_content.fallback,
    renderJs: config.render_js ?? CONFIG_KEYS.render_js.fallback,
    maxTier: config.max_tier ?? CONFIG_KEYS.max_tier.fallback,
    respectRobots: config.respect_robots ?? CONFIG_KEYS.respect_robots.fallback,
    timeoutSeconds: config.timeout_seconds ?? CONFIG_KEYS.timeout_seconds.fallback,
    maxCredits: config.max_credits_per_page,
    minWords: config.min_words ?? CONFIG_KEYS.min_words.fallback,
    useProxy: config.use_proxy ?? CONFIG_KEYS.use_proxy.fallback,
    country: config.country?.toUpperCase() ?? '',
    maxAgeSeconds: config.max_age_seconds ?? CONFIG_KEYS.max_age_seconds.fallback,
    headers: config.headers ?? {},
    cookies: config.cookies ?? {},
    device: config.device ?? CONFIG_KEYS.device.fallback,
    userAgent: config.user_agent ?? '',
    waitFor: toWaitFor(config.wait_for),
    actions: (config.actions ?? []).map(toAction),
    blockResources: config.block_resources ?? CONFIG_KEYS.block_resources.fallback,
    retries: config.retries ?? CONFIG_KEYS.retries.fallback,
    includeSelectors: [...(config.include_selectors ?? [])],
    excludeSelectors: [...(config.exclude_selectors ?? [])],
    removeBanners: config.remove_banners ?? CONFIG_KEYS.remove_banners.fallback,
    removeBase64Images: config.remove_base64_images ?? CONFIG_KEYS.remove_base64_images.fallback,
    omitTitleHeading: config.omit_title_heading ?? CONFIG_KEYS.omit_title_heading.fallback,
    languages: [...(config.languages ?? [])],
    fields: toFields(config.fields ?? {}),
    parseDocuments: config.parse_documents ?? CONFIG_KEYS.parse_documents.fallback,
    screenshot: config.screenshot ?? CONFIG_KEYS.screenshot.fallback,
    explain: false,
    htmlOfHome: false,
    htmlOfPages: false,
    loginId: config.login_id ?? '',
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
