import { alertRoutes } from './routes/alerts.ts';
import { auditRoutes } from './routes/audit.ts';
import { billingRoutes } from './routes/billing.ts';
import { changeRoutes } from './routes/changes.ts';
import { childRoutes } from './routes/children.ts';
import { citeRoutes } from './routes/cite.ts';
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
import { recorderRoutes } from './routes/recorder.ts';
import { requestLogRoutes } from './routes/request-log.ts';
import { runRoutes } from './routes/runs.ts';
import { savedViewRoutes } from './routes/saved-views.ts';
import { scrapeRoutes } from './routes/scrape.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { sourceRoutes } from './routes/sources.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { workspaceRoutes } from './routes/workspace.ts';

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
export { type CaptureRequest, toCaptureOptions } from './resolved/capture-options.ts';
export { crawlFieldOf, toCrawlRun } from './resolved/crawl-run.ts';
export { toSessionCookies } from './resolved/session-cookies.ts';
export type {
  AnyRoute,
  MediaType,
  Method,
  ResponseSchemas,
  Route,
  RouteScope,
  SessionGap,
  SessionRules,
} from './route.ts';
export type { ConfigVersion } from './routes/config-versions.ts';
export type { CrawlEnvelope, CrawlSummary } from './routes/crawl.ts';
export type { FeedLink } from './routes/feeds.ts';
export type { Playground } from './routes/playground.ts';
export type { BatchSeed } from './routes/projects.ts';
export { MONITOR_KINDS, MONITOR_QUEUES, MONITOR_STATUSES, type Monitor, PRIORITIES } from './routes/workspace.ts';
export { CONSOLE_LANGUAGES, MEMBER_ROLES, type Session } from './schemas/account.ts';
export type { AuditEntry } from './schemas/audit.ts';
export { type Billing, CHARGE_KINDS, type CostEstimate, TOKEN_KINDS } from './schemas/billing.ts';
export {
  CHANGE_KINDS,
  type Change,
  ChangeRecord,
  type IgnoredChange,
  type IgnoredReason,
  type MarkupChanges,
  type PageChanges,
  RECORD_STATUSES,
} from './schemas/change.ts';
export type { Child } from './schemas/child.ts';
export {
  CONNECTION_LIMITS,
  CONNECTION_STEPS,
  type Connection,
  FIELD_TYPES,
  type Provider,
} from './schemas/connection.ts';
export {
  DESTINATION_STATUSES,
  type Destination,
  type DestinationSync,
  SHAPE_TYPES,
  SYNC_SOURCES,
  SYNC_TRIGGERS,
  type Sync,
} from './schemas/destination.ts';
export type { Discovery } from './schemas/discovery.ts';
export { JobEnvelope, type JobSummary } from './schemas/job.ts';
export { LOGIN_STATES, LoginId, type LoginSummary } from './schemas/login.ts';
export { MAP_FILE_VERDICTS, MapEnvelope, type MapFile, type MapRow } from './schemas/map.ts';
export { NOTICE_KINDS, type Notice } from './schemas/notice.ts';
export { EXTRACT_ERRORS, PageRow } from './schemas/page.ts';
export { ErrorBody, Moment } from './schemas/parts.ts';
export { PasskeyOptions } from './schemas/passkey.ts';
export { CHECKOUT_KINDS, INVOICE_STATES } from './schemas/payments.ts';
export { PROJECT_HEALTHS, Project, type ProjectSummary } from './schemas/project.ts';
export {
  type FoundRecorder,
  type PlayedActions,
  RecorderInput,
  type RecorderStep,
  UNRECORDED_REASONS,
} from './schemas/recorder.ts';
export type { FailureGroup, LoggedRequest } from './schemas/request-log.ts';
export { hasField, type RowFields, selectFields } from './schemas/row-fields.ts';
export { type LinkSet, type LinksQuery, type RunDetail, RunEnvelope, RunSummary } from './schemas/run.ts';
export type { ScrapeOptions } from './schemas/scrape-options.ts';
export { NO_ESTIMATE_REASONS, RunCoverage, SiteEstimate } from './schemas/site-estimate.ts';
export { type DryRun, MAX_LISTED, type Sources, type SourcesPreview } from './schemas/sources.ts';
export type { FoundPages, PageBlame, PageVersions, SelectorMatches, StoredPage } from './schemas/stored-page.ts';
export { BLOCK_KINDS } from './schemas/stored-page.ts';
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
export { SitesFile, shownConfig, sitesFileSchema } from './sites-file.ts';
export { TAGS } from './tags.ts';
export { readPart } from './validation/read-part.ts';
export { quoted } from './validation/sent-value.ts';

/** Every route of the interface. One that isn't here doesn't exist. */
export const routes = {
  ...scrapeRoutes,
  ...crawlRoutes,
  ...mapRoutes,
  ...projectRoutes,
  ...recorderRoutes,
  ...sourceRoutes,
  ...runRoutes,
  ...pageRoutes,
  ...changeRoutes,
  ...alertRoutes,
  ...citeRoutes,
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
  ...requestLogRoutes,
  ...noticeRoutes,
  ...sessionRoutes,
  ...passkeyRoutes,
  ...savedViewRoutes,
  ...oidcRoutes,
  ...memberRoutes,
  ...exitRoutes,
  ...metaRoutes,
} as const;
