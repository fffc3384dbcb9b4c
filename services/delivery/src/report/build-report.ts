import type { Notification, SiteHealthNotification } from '../notifications/notification.ts';
import { buildAlertReport } from './build-alert-report.ts';
import { buildRunReport } from './build-run-report.ts';
import { buildSyncReport } from './build-sync-report.ts';
import { plain } from './plain-text.ts';
import { linkTo, nameOf } from './project-link.ts';
import type { Report } from './report.ts';

const MAX_TITLE_CHARS = 140;
const MAX_WHY_CHARS = 500;

/** Builds the report of a run, of alerts, of a site's health or of a sync; undefined where there is nothing to report. */
export function buildReport(notification: Notification, consoleUrl: string): Report | undefined {
  if (notification.kind === 'run') return buildRunReport(notification, consoleUrl);
  if (notification.kind === 'alert') return buildAlertReport(notification, consoleUrl);
  if (notification.kind === 'sync') return buildSyncReport(notification, consoleUrl);
  return buildHealthReport(notification, consoleUrl);
}

function buildHealthReport({ channels, change }: SiteHealthNotification, consoleUrl: string): Report {
  const project = nameOf(channels);
  const isFailing = change.health === 'failing';
  const why = plain(change.why, MAX_WHY_CHARS);
  return {
    kind: 'monitor',
    mood: isFailing ? 'failing' : 'recovered',
    project,
    title: plain(`${project}: ${isFailing ? 'runs are failing' : 'runs work again'}`, MAX_TITLE_CHARS),
    lines: why === '' ? [] : [`${why.charAt(0).toUpperCase()}${why.slice(1).replace(/\.$/, '')}.`],
    counts: [],
    pages: [],
    more: 0,
    digest: null,
    link: linkTo(consoleUrl, channels.projectId, change.runId),
  };
}

/** Returns the event of a notification and its idempotency key. */
export function eventOf(notification: Notification): {
  readonly event: string;
  readonly runId: string;
  readonly at: Date;
  readonly key: string;
} {
  if (notification.kind === 'alert') {
    const { runId, at, key } = notification;
    return { event: 'alert.matched', runId, at, key };
  }
  if (notification.kind === 'sync') {
    const { ended, sync } = notification;
    const name = sync.error === undefined ? 'sync.finished' : 'sync.failed';
    return { event: name, runId: sync.sourceId, at: ended.at ?? new Date(0), key: `${sync.id}:${name}` };
  }
  const { runId } = notification.kind === 'run' ? notification.run : notification.change;
  const event = notification.kind === 'run' ? 'run.finished' : `site.${notification.change.health}`;
  const at = (notification.kind === 'run' ? notification.run.finishedAt : notification.change.at) ?? new Date(0);
  return { event, runId, at, key: `${runId}:${event}` };
}
