import type { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { RunDiscarded } from './gen/tidemark/archive/v1/events.ts';
import { AuditRecorded } from './gen/tidemark/audit/v1/events.ts';
import { CreditSpent, CreditsLow, PlanChanged, RenewalUnpaid, TokensUsed } from './gen/tidemark/billing/v1/events.ts';
import { PagesCalledOff, PagesInProgress, PagesRequested, RunPaused } from './gen/tidemark/crawl/v1/control.ts';
import { CrawlEnded, RunFinished, RunPagesRecorded, RunWatched } from './gen/tidemark/crawl/v1/events.ts';
import { ChangeReady } from './gen/tidemark/diff/v1/events.ts';
import { SyncEnded } from './gen/tidemark/export/v1/events.ts';
import { AccessRemoved, AccountMailRequested, WorkspaceChanged } from './gen/tidemark/identity/v1/events.ts';
import { MapEnded } from './gen/tidemark/map/v1/events.ts';
import { ProjectDeleted, SiteHealthChanged } from './gen/tidemark/projects/v1/events.ts';
import { BatchEnded, JobEnded, LoginDeleted, PageCaptured, RunPageEnded } from './gen/tidemark/scrape/v1/events.ts';
import { BatchHost, PageWork } from './gen/tidemark/scrape/v1/work.ts';

/** Encodes and decodes one message type. The code that ts-proto generates for a message has this shape. */
export interface Codec<T> {
  encode(message: T, writer?: BinaryWriter): BinaryWriter;
  decode(input: BinaryReader | Uint8Array, length?: number): T;
}

/** An event on the bus. Its name is in the past tense. Only `owner` publishes it; each service in `consumers` confirms it after storing it. */
export interface EventDefinition<T> {
  readonly subject: string;
  readonly owner: string;
  readonly consumers: readonly string[];
  readonly codec: Codec<T>;
  /** Minimum time between two batches of one consumer, ms. A larger batch costs less per event: it is stored with one statement. */
  readonly batchMs: number;
  /** The same after a batch of several events, ms: those of a stream of pages. */
  readonly busyBatchMs: number;
}

function defineEvent<T>(
  subject: string,
  codec: Codec<T>,
  owner: string,
  consumers: readonly string[],
  batchMs: number,
  busyBatchMs = batchMs,
): EventDefinition<T> {
  return { subject, codec, owner, consumers, batchMs, busyBatchMs };
}

/** Services with work or data of workspaces. */
const WORKSPACE_CONSUMERS = ['billing', 'projects', 'crawl', 'map', 'scrape', 'archive', 'export', 'delivery'];

/** Every event, with its owner and its consumers. */
export const events = {
  pageCaptured: defineEvent('event.page.captured', PageCaptured, 'scrape', ['archive'], 50, 200),
  creditSpent: defineEvent('event.credit.spent', CreditSpent, 'scrape', ['billing'], 50),
  runCharged: defineEvent('event.run.charged', CreditSpent, 'crawl', ['billing'], 100, 250),
  planChanged: defineEvent('event.plan.changed', PlanChanged, 'billing', ['identity'], 10),
  creditsLow: defineEvent('event.credits.low', CreditsLow, 'billing', ['identity', 'delivery'], 50),
  renewalUnpaid: defineEvent('event.renewal.unpaid', RenewalUnpaid, 'billing', ['identity'], 50),
  mapCharged: defineEvent('event.map.charged', CreditSpent, 'map', ['billing'], 50),
  extractionTokensUsed: defineEvent('event.tokens.extraction', TokensUsed, 'scrape', ['billing'], 100),
  digestTokensUsed: defineEvent('event.tokens.digest', TokensUsed, 'delivery', ['billing'], 100),
  runDiscarded: defineEvent('event.run.discarded', RunDiscarded, 'crawl', ['archive', 'diff'], 50),
  runPagesRecorded: defineEvent('event.run.pages', RunPagesRecorded, 'crawl', ['archive'], 50, 200),
  runFinished: defineEvent(
    'event.run.finished',
    RunFinished,
    'crawl',
    ['projects', 'scrape', 'archive', 'diff', 'delivery', 'export'],
    50,
  ),
  projectDeleted: defineEvent(
    'event.project.deleted',
    ProjectDeleted,
    'projects',
    ['billing', 'crawl', 'diff', 'delivery', 'export'],
    50,
  ),
  loginDeleted: defineEvent('event.login.deleted', LoginDeleted, 'scrape', ['crawl', 'scrape'], 50),
  changeReady: defineEvent('event.change.ready', ChangeReady, 'diff', ['delivery', 'export'], 50),
  syncEnded: defineEvent('event.sync.ended', SyncEnded, 'export', ['delivery'], 50),
  siteHealthChanged: defineEvent('event.site.health', SiteHealthChanged, 'projects', ['delivery'], 50),
  runWatched: defineEvent('event.run.watched', RunWatched, 'crawl', ['delivery'], 50),
  batchEnded: defineEvent('event.batch.ended', BatchEnded, 'scrape', ['delivery'], 50),
  jobEnded: defineEvent('event.job.ended', JobEnded, 'scrape', ['export'], 50),
  crawlEnded: defineEvent('event.crawl.ended', CrawlEnded, 'crawl', ['export'], 50),
  mapEnded: defineEvent('event.map.ended', MapEnded, 'map', ['delivery'], 50),
  accountMailRequested: defineEvent('event.account.mail', AccountMailRequested, 'identity', ['delivery'], 50),
  accessRemoved: defineEvent('event.access.removed', AccessRemoved, 'identity', ['billing'], 50),
  workspaceChanged: defineEvent('event.workspace.changed', WorkspaceChanged, 'identity', WORKSPACE_CONSUMERS, 10),
  projectsAudited: defineEvent('event.audit.projects', AuditRecorded, 'projects', ['identity'], 50),
  scrapeAudited: defineEvent('event.audit.scrape', AuditRecorded, 'scrape', ['identity'], 50),
  billingAudited: defineEvent('event.audit.billing', AuditRecorded, 'billing', ['identity'], 50),
  exportAudited: defineEvent('event.audit.export', AuditRecorded, 'export', ['identity'], 50),
  deliveryAudited: defineEvent('event.audit.delivery', AuditRecorded, 'delivery', ['identity'], 50),
  runPageEnded: defineEvent('event.run.page', RunPageEnded, 'scrape', ['crawl'], 100, 250),
} as const;

/** A queue of work items. Each item is delivered to one worker with a free slot. */
export interface Work<T> {
  readonly subject: string;
  readonly codec: Codec<T>;
  /** Returns the last token of the subject an item is published to, so that all items of one key can be removed together. Absent: one subject for all. */
  readonly keyOf?: (item: T) => string;
  /** Seconds without a sign of progress after which an item is redelivered to another worker. */
  readonly ackWaitSeconds: number;
}

/** The work queues. The source of truth is the database; these messages only distribute the work among instances. */
const batchHost: Work<BatchHost> = { subject: 'work.batch', codec: BatchHost, ackWaitSeconds: 15 };
const page: Work<PageWork> = {
  subject: 'work.page',
  codec: PageWork,
  keyOf: ({ runId }) => runId,
  ackWaitSeconds: 6,
};

export const work = { batchHost, page } as const;

/** A control message on core NATS. Delivered at most once, to the instances connected at that moment. */
export interface Control<T> {
  readonly subject: string;
  readonly codec: Codec<T>;
}

/** Every control message. None carries state that is not also stored or sent again. */
export const controls = {
  /** scrape to one instance of crawl. */
  pagesInProgress: { subject: 'control.pages.in-progress', codec: PagesInProgress },
  /** crawl to every instance of scrape. */
  pagesCalledOff: { subject: 'control.pages.called-off', codec: PagesCalledOff },
  /** crawl to every instance of scrape, which responds with pagesInProgress. */
  runPaused: { subject: 'control.run.paused', codec: RunPaused },
  /** crawl to every instance of scrape, which responds with pagesInProgress. */
  pagesRequested: { subject: 'control.pages.requested', codec: PagesRequested },
  /** scrape to every instance of scrape: sessions of the login are dropped, and captures with it end. Sent again on `event.login.deleted`. */
  loginDeleted: { subject: 'control.login.deleted', codec: LoginDeleted },
} as const;

/** JetStream stream of work items. An item is removed when its worker acknowledges it. */
export const WORK_STREAM = {
  name: 'WORK',
  subjects: ['work.>'],
  maxAgeHours: 24,
  maxBytes: 256 * 1024 * 1024,
} as const;

/** JetStream stream of all events. Its limits are safe: the owner's outbox keeps an event until every consumer has confirmed it. */
export const EVENT_STREAM = {
  name: 'EVENTS',
  subjects: ['event.>'],
  maxAgeHours: 24,
  maxBytes: 1024 * 1024 * 1024,
} as const;
/** JetStream stream of events that a consumer failed to store in five deliveries. */
export const DEAD_STREAM = {
  name: 'DEAD',
  subjects: ['dead.>'],
  maxAgeHours: 24 * 14,
  maxBytes: 256 * 1024 * 1024,
} as const;

/** Returns the core NATS subject on which consumers confirm to `owner` that they stored its events. */
export const confirmationSubject = (owner: string): string => `confirm.${owner}`;
