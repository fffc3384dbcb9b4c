import type {
  ConfigChange,
  Extract as ExtractMessage,
  FieldRules,
  ProjectConfig as Message,
  Action as WireAction,
  AlertRule as WireAlert,
  WaitFor as WireWaitFor,
} from '@tidemark/contracts/config/v1/config';
import { AppError } from '@tidemark/errors';
import type { AlertRule } from './alert-rule.ts';
import type { Action, WaitFor } from './config-values.ts';
import type { ExtractConfig } from './extract-config.ts';
import { type AllSettings, parseSettings, readSettings, type Settings } from './settings.ts';

/** Every field of the message, absent ones as undefined: a list of fields that lacks one does not compile. */
type AllFields = { [Field in keyof Message]-?: Message[Field] };

/** A change of settings by their keys: null removes a key. */
export type SettingsChange = Readonly<Record<string, unknown>>;

/** Converts stored settings to their message, except those that the catalogue does not accept any more. */
export const toConfigMessage = (values: Readonly<Record<string, unknown>>): Message => toMessage(readSettings(values));

function toMessage(config: Settings): Message {
  const message: AllFields = {
    maxPages: config.max_pages,
    maxDepth: config.max_depth,
    includePaths: toList(config.include_paths),
    excludePaths: toList(config.exclude_paths),
    allowSubdomains: config.allow_subdomains,
    useSitemap: config.use_sitemap,
    sitemapMode: config.sitemap_mode,
    sitemapInclude: toList(config.sitemap_include),
    sitemapExclude: toList(config.sitemap_exclude),
    crawlMode: config.crawl_mode,
    urlList: toList(config.url_list),
    feeds: toList(config.feeds),
    ignoreQuery: toList(config.ignore_query),
    keepTracking: config.keep_tracking,
    respectRobots: config.respect_robots,
    timeLimitMinutes: config.time_limit_minutes,
    renderJs: config.render_js,
    maxTier: config.max_tier,
    useProxy: config.use_proxy,
    country: config.country,
    timeoutSeconds: config.timeout_seconds,
    maxAgeSeconds: config.max_age_seconds,
    maxCreditsPerPage: config.max_credits_per_page,
    headers: toMap(config.headers),
    cookies: toMap(config.cookies),
    device: config.device,
    userAgent: config.user_agent,
    waitFor: config.wait_for === undefined ? undefined : toWaitFor(config.wait_for),
    actions: toList(config.actions?.map(toAction)),
    blockResources: config.block_resources,
    retries: config.retries,
    concurrency: config.concurrency,
    delayMs: config.delay_ms,
    loginId: config.login_id,
    onlyMainContent: config.only_main_content,
    includeSelectors: toList(config.include_selectors),
    excludeSelectors: toList(config.exclude_selectors),
    removeBanners: config.remove_banners,
    removeBase64Images: config.remove_base64_images,
    omitTitleHeading: config.omit_title_heading,
    minWords: config.min_words,
    languages: toList(config.languages),
    fields: toMap(config.fields),
    extract: config.extract === undefined ? undefined : toExtract(config.extract),
    parseDocuments: config.parse_documents,
    templateChanges: config.template_changes,
    volatileSelectors: toList(config.volatile_selectors),
    volatileOverrides: toList(config.volatile_overrides),
    formats: toList(config.formats),
    screenshot: config.screenshot,
    storeHtml: config.store_html,
    webhookUrl: config.webhook_url,
    webhookEvents: toList(config.webhook_events),
    webhookMetadataJson: config.webhook_metadata === undefined ? undefined : JSON.stringify(config.webhook_metadata),
    notifyMinWords: config.notify_min_words,
    notifyEmails: toList(config.notify_emails),
    chatUrl: config.chat_url,
    alerts: toList(config.alerts?.map(toAlert)),
    changeDigest:
      config.change_digest === undefined
        ? undefined
        : { connectionId: config.change_digest.connection_id, focus: config.change_digest.focus },
  };
  return message;
}

/**
 * Returns the settings of a message by their keys.
 * @throws AppError validation if a text that must be JSON is not
 */
export function fromConfigMessage(message: Message | undefined): Settings {
  if (message === undefined) return {};
  const settings: AllSettings = {
    max_pages: message.maxPages,
    max_depth: message.maxDepth,
    include_paths: message.includePaths?.values,
    exclude_paths: message.excludePaths?.values,
    allow_subdomains: message.allowSubdomains,
    use_sitemap: message.useSitemap,
    sitemap_mode: message.sitemapMode,
    sitemap_include: message.sitemapInclude?.values,
    sitemap_exclude: message.sitemapExclude?.values,
    crawl_mode: message.crawlMode,
    url_list: message.urlList?.values,
    feeds: message.feeds?.values,
    ignore_query: message.ignoreQuery?.values,
    keep_tracking: message.keepTracking,
    respect_robots: message.respectRobots,
    time_limit_minutes: message.timeLimitMinutes,
    render_js: message.renderJs,
    max_tier: message.maxTier,
    use_proxy: message.useProxy,
    country: message.country,
    timeout_seconds: message.timeoutSeconds,
    max_age_seconds: message.maxAgeSeconds,
    max_credits_per_page: message.maxCreditsPerPage,
    headers: message.headers?.values,
    cookies: message.cookies?.values,
    device: message.device,
    user_agent: message.userAgent,
    wait_for: message.waitFor === undefined ? undefined : fromWaitFor(message.waitFor),
    actions: message.actions?.values.map(fromAction),
    block_resources: message.blockResources,
    retries: message.retries,
    concurrency: message.concurrency,
    delay_ms: message.delayMs,
    login_id: message.loginId,
    only_main_content: message.onlyMainContent,
    include_selectors: message.includeSelectors?.values,
    exclude_selectors: message.excludeSelectors?.values,
    remove_banners: message.removeBanners,
    remove_base64_images: message.removeBase64Images,
    omit_title_heading: message.omitTitleHeading,
    min_words: message.minWords,
    languages: message.languages?.values,
    fields: message.fields === undefined ? undefined : fromFields(message.fields),
    extract: message.extract === undefined ? undefined : fromExtract(message.extract),
    parse_documents: message.parseDocuments,
    template_changes: message.templateChanges,
    volatile_selectors: message.volatileSelectors?.values,
    volatile_overrides: message.volatileOverrides?.values.map(withoutUndefined),
    formats: message.formats?.values,
    screenshot: message.screenshot,
    store_html: message.storeHtml,
    webhook_url: message.webhookUrl,
    webhook_events: message.webhookEvents?.values,
    webhook_metadata:
      message.webhookMetadataJson === undefined
        ? undefined
        : jsonObject('webhook_metadata', message.webhookMetadataJson),
    notify_min_words: message.notifyMinWords,
    notify_emails: message.notifyEmails?.values,
    chat_url: message.chatUrl,
    alerts: message.alerts?.values.map(fromAlert),
    change_digest:
      message.changeDigest === undefined
        ? undefined
        : withoutUndefined({ connection_id: message.changeDigest.connectionId, focus: message.changeDigest.focus }),
  };
  return withoutUndefined(settings);
}

/** Converts a change. @throws AppError validation for keys and values that the catalogue does not accept */
export const toConfigChange = (change: SettingsChange): ConfigChange => ({
  set: toMessage(parseSettings(Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null)))),
  removed: Object.keys(change).filter((key) => change[key] === null),
});

/** Returns the change of a message by its keys; an absent message changes nothing. @throws AppError validation */
export const fromConfigChange = (change: ConfigChange | undefined): SettingsChange => ({
  ...fromConfigMessage(change?.set),
  ...Object.fromEntries((change?.removed ?? []).map((key) => [key, null])),
});

const toList = <Value>(values: Value[] | undefined): { values: Value[] } | undefined =>
  values === undefined ? undefined : { values };

const toMap = <Value>(values: Record<string, Value> | undefined): { values: { [key: string]: Value } } | undefined =>
  values === undefined ? undefined : { values };

const fromFields = ({ values }: FieldRules): Settings['fields'] =>
  Object.fromEntries(Object.entries(values).map(([name, rule]) => [name, withoutUndefined(rule)]));

/** Settings have no keys with the value undefined: they are stored and compared as JSON. */
function withoutUndefined<Fields extends object>(fields: Fields): Fields {
  const kept = { ...fields };
  for (const key in kept) if (kept[key] === undefined) delete kept[key];
  return kept;
}

function toWaitFor(waitFor: WaitFor): WireWaitFor {
  if (typeof waitFor === 'number') return { condition: { $case: 'ms', value: waitFor } };
  if (waitFor === 'network_idle') return { condition: { $case: 'networkIdle', value: {} } };
  return { condition: { $case: 'selector', value: waitFor } };
}

const fromWaitFor = ({ condition }: WireWaitFor): WaitFor | undefined =>
  condition?.$case === 'networkIdle' ? 'network_idle' : condition?.value;

function toAction(action: Action): WireAction {
  switch (action.type) {
    case 'click':
      return { action: { $case: 'click', value: { selector: action.selector } } };
    case 'type':
      return { action: { $case: 'type', value: { selector: action.selector, text: action.text } } };
    case 'press':
      return { action: { $case: 'press', value: { key: action.key, selector: action.selector } } };
    case 'scroll':
      return { action: { $case: 'scroll', value: { to: action.to, selector: action.selector } } };
    case 'wait':
      return { action: { $case: 'wait', value: { ms: action.ms, selector: action.selector } } };
    case 'select':
      return { action: { $case: 'select', value: { selector: action.selector, value: action.value } } };
  }
}

function fromAction({ action }: WireAction): Action {
  switch (action?.$case) {
    case 'click':
      return { type: 'click', ...action.value };
    case 'type':
      return { type: 'type', ...action.value };
    case 'press':
      return withoutUndefined({ type: 'press', ...action.value });
    case 'scroll':
      return withoutUndefined({ type: 'scroll', ...action.value });
    case 'wait':
      return withoutUndefined({ type: 'wait', ...action.value });
    case 'select':
      return { type: 'select', ...action.value };
    default:
      throw new AppError('validation', 'config.actions: an action has no kind');
  }
}

const toAlert = ({ channels, cooldown_minutes: cooldownMinutes, ...rule }: AlertRule): WireAlert => ({
  ...rule,
  channels: toList(channels),
  cooldownMinutes,
  quiet: rule.quiet,
});

const fromAlert = ({ channels, cooldownMinutes, ...rule }: WireAlert): AlertRule =>
  withoutUndefined({ ...rule, channels: channels?.values, cooldown_minutes: cooldownMinutes, quiet: rule.quiet });

const toExtract = ({
  connection_id: connectionId,
  schema,
  prompt,
  max_tokens: maxTokens,
}: ExtractConfig): ExtractMessage => ({
  connectionId,
  schemaJson: JSON.stringify(schema),
  prompt,
  maxTokens,
});

const fromExtract = ({ connectionId, schemaJson, prompt, maxTokens }: ExtractMessage): ExtractConfig =>
  withoutUndefined({
    connection_id: connectionId,
    schema: jsonObject('extract.schema', schemaJson),
    prompt,
    max_tokens: maxTokens,
  });

function jsonObject(key: string, json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return Object.fromEntries(Object.entries(value));
  } catch {
    // Refused below.
  }
  throw new AppError('validation', `config.${key}: expected a JSON object`);
}
