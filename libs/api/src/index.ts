import { auditRoutes } from './routes/audit.ts';
import { billingRoutes } from './routes/billing.ts';
import { changeRoutes } from './routes/changes.ts';
import { childRoutes } from './routes/children.ts';
import { configVersionRoutes } from './routes/config-versions.ts';
import { connectionRoutes } from './routes/connections.ts';
import { crawlRoutes } from './routes/crawl.ts';
import { destinationRoutes } from './routes/destinations.ts';
import { exitRoutes } from './routes/exits.ts';
import { exportRoutes } from './routes/exports.ts';
import { feedRoutes } from './routes/feeds.ts';
import { loginRoutes } from './routes/logins.ts';
import { mapRoutes } from './routes/map.ts';
import { memberRoutes } from './routes/members.ts';
import { metaRoutes } from './routes/meta.ts';
import { noticeRoutes } from './routes/notices.ts';
import { oidcRoutes } from './routes/oidc.ts';
import { pageRoutes } from './routes/pages.ts';
import { passkeyRoutes } from './routes/passkeys.ts';
import { paymentRoutes } from './routes/payments.ts';
import { playgroundRoutes } from './routes/playground.ts';
import { projectRoutes } from './routes/projects.ts';
import { runRoutes } from './routes/runs.ts';
import { scrapeRoutes } from './routes/scrape.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { sourceRoutes } from './routes/sources.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { workspaceRoutes } from './routes/workspace.ts';

export { type ListScope, openCursor, openNumericCursor, sealCursor, sealNumericCursor } from './cursor.ts';
export { column, type DatasetColumn, type DatasetColumnType, type DatasetRow, nullable } from './datasets/column.ts';
export {
  type ConfiguredField,
  DATASET_NAMES,
  DATASETS,
  type Dataset,
  type DatasetName,
  EXPORT_FORMATS,
  type ExportFormat,
  fieldColumns,
} from './datasets/datasets.ts';
export {
  ANSWER_SECONDS,
  DELIVERY_RULES,
  delayText,
  isRetriedStatus,
  RETRIED_CLIENT_ERRORS,
  RETRY_DELAYS_MINUTES,
  WEBHOOK_HEADERS,
} from './events/delivery-rules.ts';
export {
  EVENT_NAMES,
  EVENTS,
  type EventData,
  type EventName,
  exampleOf,
  isEventName,
  MessageEnvelope,
  messageSchema,
} from './events/message.ts';
export { buildOpenApi } from './openapi/build-openapi.ts';
export { invalidExample } from './openapi/error-responses.ts';
export { isJob } from './openapi/example.ts';
export {
  alternatives,
  asList,
  asObject,
  asText,
  choicesOf,
  isNullable,
  type Json,
  mainType,
  resolve,
} from './openapi/json-schema.ts';
export { type CaptureOptions, type CaptureRequest, toCaptureOptions } from './resolved/capture-options.ts';
export { crawlFieldOf, toCrawlRun } from './resolved/crawl-run.ts';
export { toProjectRun } from './resolved/project-run.ts';
export type { FieldOf, RunScope } from './resolved/run-scope.ts';
export { toSessionCookies } from './resolved/session-cookies.ts';
export type { AnyRoute, Method, Route, RouteScope, SessionGap, SessionRules } from './route.ts';
export type { ConfigVersion } from './routes/config-versions.ts';
export { CRAWL_EVENTS, type CrawlEnvelope, type CrawlSummary } from './routes/crawl.ts';
export type { FeedLink } from './routes/feeds.ts';
export type { Playground } from './routes/playground.ts';
export type { BatchSeed } from './routes/projects.ts';
export type { Monitor } from './routes/workspace.ts';
export { MEMBER_ROLES, type Session } from './schemas/account.ts';
export { PROJECT_EVENTS } from './schemas/advanced-keys.ts';
export type { AuditEntry } from './schemas/audit.ts';
export { type Billing, CHARGE_KINDS, type CostEstimate } from './schemas/billing.ts';
export {
  CHANGE_KINDS,
  type Change,
  ChangeDigestText,
  ChangeRecord,
  COUNTED,
  COVERAGE_REASON_MEANINGS,
  coverageReasonText,
  type IgnoredChange,
  type IgnoredReason,
  type MarkupChanges,
  type PageChanges,
  RECORD_STATUSES,
} from './schemas/change.ts';
export { CHAT_SERVICES, type ChatService, serviceOf } from './schemas/chat-service.ts';
export type { Child } from './schemas/child.ts';
export { CONFIG_GROUPS, CONFIG_KEYS, type ConfigGroup, type ConfigKey, configEntries } from './schemas/config.ts';
export {
  copySetting,
  isSecretKey,
  maskSecrets,
  maskSetting,
  rejectMasks,
  restoreSetting,
  toRunConfig,
} from './schemas/config-secrets.ts';
export { type Action, RESERVED_HEADERS, type WaitFor } from './schemas/config-values.ts';
export {
  CONNECTION_LIMITS,
  CONNECTION_STEPS,
  type Connection,
  FIELD_TYPES,
  type Provider,
} from './schemas/connection.ts';
export {
  DESTINATION_COMPRESSIONS,
  DESTINATION_DATASETS,
  DESTINATION_FORMATS,
  DESTINATION_MODES,
  DESTINATION_STATUSES,
  type Destination,
  type DestinationSync,
  SHAPE_TYPES,
  SYNC_ERRORS,
  SYNC_SOURCES,
  SYNC_STATUSES,
  SYNC_TRIGGERS,
  type Sync,
} from './schemas/destination.ts';
export type { Discovery } from './schemas/discovery.ts';
export {
  JOB_STATUSES,
  JobEnvelope,
  type JobSummary,
  STOP_REASON_MEANINGS,
  type StopReason,
} from './schemas/job.ts';
export { LOGIN_STATES, LoginId, type LoginSummary } from './schemas/login.ts';
export { MAP_FILE_VERDICTS, MAP_METHODS, MapEnvelope, type MapFile, type MapRow } from './schemas/map.ts';
export { isMaskedUrl, MASK, maskUrl, maskUrlTokens } from './schemas/masked-url.ts';
export { NOTICE_KINDS, type Notice } from './schemas/notice.ts';
export {
  ERROR_CODES,
  EXTRACT_ERRORS,
  FORMATS,
  type Format,
  PageRow,
  VERDICT_MEANINGS,
  VERDICTS,
} from './schemas/page.ts';
export { ErrorBody, WebUrl } from './schemas/parts.ts';
export { DUE_STATUSES, isTimezone, PROJECT_HEALTHS, Project, type ProjectSummary } from './schemas/project.ts';
export { hasField, type RowFields, selectFields } from './schemas/row-fields.ts';
export {
  type LinkSet,
  type LinksQuery,
  RUN_TRIGGERS,
  type RunDetail,
  RunEnvelope,
  RunSummary,
} from './schemas/run.ts';
export type { ScrapeConfig, ScrapeOptions } from './schemas/scrape-config.ts';
export { NO_ESTIMATE_REASONS, RunCoverage, SiteEstimate } from './schemas/site-estimate.ts';
export { type DryRun, MAX_LISTED, type Sources, type SourcesPreview } from './schemas/sources.ts';
export type { FoundPages, SelectorMatches, StoredPage } from './schemas/stored-page.ts';
export {
  MAX_OVERRIDE_TEXT,
  MAX_VOLATILE_OVERRIDES,
  VolatileOverride,
  VolatileOverrides,
} from './schemas/volatile-override.ts';
export {
  ATTEMPT_REASONS,
  CHANNEL_KINDS,
  CHANNEL_STATES,
  type Channel,
  DELIVERY_KINDS,
  DELIVERY_STATUSES,
  type Delivery,
  type Webhook,
} from './schemas/webhook.ts';
export { TAGS } from './tags.ts';
export { readPart } from './validation/read-part.ts';
export { quoted } from './validation/sent-value.ts';

/** Every route of the interface. One that isn't here doesn't exist. */
export const routes = {
  ...scrapeRoutes,
  ...crawlRoutes,
  ...mapRoutes,
  ...projectRoutes,
  ...sourceRoutes,
  ...runRoutes,
  ...pageRoutes,
  ...changeRoutes,
  ...configVersionRoutes,
  ...feedRoutes,
  ...loginRoutes,
  ...webhookRoutes,
  ...connectionRoutes,
  ...destinationRoutes,
  ...exportRoutes,
  ...playgroundRoutes,
  ...workspaceRoutes,
  ...billingRoutes,
  ...paymentRoutes,
  ...childRoutes,
  ...auditRoutes,
  ...noticeRoutes,
  ...sessionRoutes,
  ...passkeyRoutes,
  ...oidcRoutes,
  ...memberRoutes,
  ...exitRoutes,
  ...metaRoutes,
} as const;
