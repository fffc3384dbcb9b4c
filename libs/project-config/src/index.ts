export { PROJECT_EVENTS } from './advanced-keys.ts';
export { type AlertChannel, AlertRule, MAX_ALERT_CHARS, MAX_ALERT_RULES } from './alert-rule.ts';
export { type CaptureOptions, resolveCapture, toAction as toCaptureAction } from './capture-options.ts';
export { CHAT_SERVICES, type ChatService, serviceOf } from './chat-service.ts';
export { type ComparisonOptions, comparisonOptions } from './comparison-options.ts';
export { CONFIG_GROUPS, CONFIG_KEYS, type ConfigGroup, type ConfigKey, configEntries, describeKey } from './config.ts';
export {
  fromConfigChange,
  fromConfigMessage,
  type SettingsChange,
  toConfigChange,
  toConfigMessage,
} from './config-message.ts';
export {
  copySetting,
  isSecretKey,
  maskSecrets,
  maskSetting,
  rejectMasks,
  restoreSetting,
  toRunConfig,
} from './config-secrets.ts';
export {
  Action,
  HEADER_NAME,
  isStorable,
  JsonObject,
  Line,
  RESERVED_HEADERS,
  Selector,
  type WaitFor,
} from './config-values.ts';
export { WebUrl } from './given-url.ts';
export { isMaskedUrl, MASK, maskUrl, maskUrlTokens } from './masked-url.ts';
export { FORMATS, type Format } from './output-keys.ts';
export { ProjectConfig, ProjectConfigPatch, storable, UnsavedConfig } from './project-config.ts';
export { type ResolvedRun, toProjectRun } from './project-run.ts';
export { isTag, MAX_TAGS, TAG_RULE } from './project-tags.ts';
export type { FieldOf, RunScope } from './run-scope.ts';
export { CrawlConfig, ScrapeConfig } from './scrape-config.ts';
export { readSettings, type Settings } from './settings.ts';
export { isTimezone } from './timezone.ts';
export { MAX_OVERRIDE_TEXT, MAX_VOLATILE_OVERRIDES, VolatileOverride, VolatileOverrides } from './volatile-override.ts';
