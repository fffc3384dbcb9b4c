import {
  asList,
  asObject,
  asText,
  type Change,
  type ChangeRecord,
  type PageRow,
  type Project,
  type RunSummary,
} from '@tidemark/api';
import { cronOf } from './monitor-schedule.ts';
import type { Settings } from './translate.ts';

/** A monitor has one target. */
const TARGET = 'target_1';

type Run = Pick<
  RunSummary,
  | 'id'
  | 'status'
  | 'trigger'
  | 'progress'
  | 'counts'
  | 'creditsUsed'
  | 'error'
  | 'createdAt'
  | 'startedAt'
  | 'finishedAt'
>;

function targetOf({ seed, config }: Pick<Project, 'seed' | 'config'>): Settings {
  const { url_list, max_pages, include_paths, exclude_paths, max_depth } = config;
  if (config['crawl_mode'] === 'list_only') return { id: TARGET, type: 'scrape', urls: asList(url_list) };
  const limit = max_pages === undefined ? {} : { limit: max_pages };
  const depth = max_depth === undefined ? {} : { maxDiscoveryDepth: max_depth };
  const withoutPrefix = (patterns: unknown): string[] => asList(patterns).map((one) => asText(one).replace(/^re:/, ''));
  const scope = {
    ...(include_paths === undefined ? {} : { includePaths: withoutPrefix(include_paths) }),
    ...(exclude_paths === undefined ? {} : { excludePaths: withoutPrefix(exclude_paths) }),
  };
  return { id: TARGET, type: 'crawl', url: seed, crawlOptions: { ...limit, ...depth, ...scope } };
}

/** Converts a project to a monitor. Secrets of the webhook are masked. */
export function toMonitor(project: Project): Settings {
  const { id, name, seed, schedule, timezone, retention, config, lastRun, nextRunAt, createdAt, updatedAt } = project;
  const cron = cronOf(schedule);
  const { webhook_url: url, webhook_metadata: metadata, notify_emails } = config;
  const recipients = asList(notify_emails);
  const focus = asText(asObject(config['change_digest'])['focus']);
  return {
    id,
    name: name ?? new URL(seed).host,
    status: cron === undefined ? 'paused' : 'active',
    schedule: { ...(cron === undefined ? {} : { cron }), timezone },
    nextRunAt,
    lastRunAt: lastRun?.finishedAt ?? null,
    currentCheckId: null,
    targets: [targetOf(project)],
    webhook: url === undefined ? null : { url, ...(metadata === undefined ? {} : { metadata }) },
    notification: recipients.length === 0 ? null : { email: { enabled: true, recipients } },
    retentionDays: retention,
    estimatedCreditsPerMonth: null,
    lastCheckSummary: null,
    goal: focus === '' ? null : focus,
    judgeEnabled: false,
    createdAt,
    updatedAt,
  };
}

/** Verdicts of pages that were read. */
const READ: ReadonlySet<string> = new Set(['ok', 'thin', 'cached', 'skipped']);

/** Returns the pages of a first check, which has nothing to compare with: those that were read are new. */
function firstSummaryOf({ progress, counts }: Run): Settings {
  const read = Object.entries(counts).reduce((sum, [verdict, pages]) => sum + (READ.has(verdict) ? pages : 0), 0);
  const totalPages = progress.done;
  return { totalPages, same: 0, changed: 0, new: read, removed: 0, error: Math.max(0, totalPages - read) };
}

const summaryOf = (pages: number, counts: Recorded['counts'] | undefined): Settings => ({
  totalPages: pages,
  same: counts?.['same'] ?? 0,
  changed: counts?.['modified'] ?? 0,
  new: counts?.['added'] ?? 0,
  removed: counts?.['removed'] ?? 0,
  error: counts?.['unverified'] ?? 0,
});

/** The change record of a run. */
interface Recorded {
  readonly status: ChangeRecord['status'];
  readonly counts: Readonly<Record<string, number>> | null;
  /** null: it is the first record of its project. */
  readonly baseline: string | null;
}

/** Whether a check is the first with a record, so that its pages are new. */
export const isFirst = (record: Recorded | undefined): boolean => record?.status === 'made' && record.baseline === null;

/** A check ends with its change record. */
function statusOf({ status }: Run, record: Recorded | undefined): string {
  if (status === 'queued') return 'queued';
  if (status === 'running' || record?.status === 'making') return 'running';
  return status === 'done' ? 'completed' : 'failed';
}

/** Converts a run of a project to a check of a monitor. */
export function toCheck(monitorId: string, run: Run, record?: Recorded): Settings {
  const { id, trigger, progress, creditsUsed, error, createdAt, startedAt, finishedAt } = run;
  const status = statusOf(run, record);
  const isOver = status === 'completed' || status === 'failed';
  return {
    id,
    monitorId,
    status,
    trigger: trigger === 'schedule' ? 'scheduled' : 'manual',
    scheduledFor: null,
    startedAt,
    finishedAt: isOver ? finishedAt : null,
    estimatedCredits: null,
    reservedCredits: null,
    actualCredits: creditsUsed,
    billingStatus: isOver ? 'confirmed' : 'reserved',
    summary: isFirst(record) ? firstSummaryOf(run) : summaryOf(progress.done, record?.counts),
    error,
    createdAt,
    updatedAt: finishedAt ?? startedAt ?? createdAt,
  };
}

const PAGE_STATUS: Readonly<Record<Change['kind'], string>> = {
  added: 'new',
  removed: 'removed',
  modified: 'changed',
  template: 'changed',
  same: 'same',
  withheld: 'error',
  unverified: 'error',
};

/** Kinds of change by the status of a page. */
export const KINDS: Readonly<Record<string, Change['kind']>> = {
  new: 'added',
  removed: 'removed',
  changed: 'modified',
  same: 'same',
  error: 'unverified',
};

/** Returns the changed blocks as lines of a diff, and changed extracted values by field. */
function diffOf({ blocks, fields }: Change): Settings | null {
  const lines = blocks.flatMap(({ section, before, after }) => [
    ...(section === '' ? [] : [`@@ ${section} @@`]),
    ...(before === null ? [] : [`-${before}`]),
    ...(after === null ? [] : [`+${after}`]),
  ]);
  const values = fields
    .filter(({ name }) => name.startsWith('extracted.'))
    .map(({ name, from, to }) => [name.slice('extracted.'.length), { previous: from, current: to }]);
  if (lines.length === 0 && values.length === 0) return null;
  return {
    ...(lines.length === 0 ? {} : { text: lines.join('\n') }),
    ...(values.length === 0 ? {} : { json: Object.fromEntries(values) }),
  };
}

/** The readings of a page that a check compares. */
export interface Readings {
  readonly previousScrapeId: string | null;
  readonly currentScrapeId: string | null;
  /** HTTP status of the current one. */
  readonly statusCode: number | null;
}

/** Converts a page of a first check, which has nothing to compare with. */
export const toFirstPage = ({ id, url, verdict, reason, httpStatus }: PageRow, createdAt: string): Settings => ({
  id,
  targetId: TARGET,
  url,
  status: READ.has(verdict) ? 'new' : 'error',
  previousScrapeId: null,
  currentScrapeId: id,
  statusCode: httpStatus,
  error: READ.has(verdict) ? null : reason,
  diff: null,
  createdAt,
});

/** Converts an entry of a change record to a page of a check. */
export const toCheckPage = (change: Change, readings: Readings, createdAt: string): Settings => ({
  id: change.id,
  targetId: TARGET,
  url: change.url,
  status: PAGE_STATUS[change.kind],
  previousScrapeId: readings.previousScrapeId,
  currentScrapeId: readings.currentScrapeId,
  statusCode: readings.statusCode,
  error: change.kind === 'unverified' || change.kind === 'withheld' ? change.explanation : null,
  diff: diffOf(change),
  createdAt,
});
