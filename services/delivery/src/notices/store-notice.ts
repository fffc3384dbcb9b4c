import type pg from 'pg';
import type { Notification } from '../notifications/notification.ts';
import { buildReport, eventOf } from '../report/build-report.ts';
import { pluralize } from '../report/plain-text.ts';
import type { Report } from '../report/report.ts';
import type { NoticeStore } from './notice-store.ts';

export interface StoreNoticeDeps {
  readonly notices: Pick<NoticeStore, 'store'>;
  /** A mail host is configured, so that no notices are stored. */
  readonly isMailOn: boolean;
}

/** Stores a notice of a reportable run, or of a site's health. */
export type StoreNotice = (client: pg.PoolClient, notification: Notification) => Promise<void>;

export function makeStoreNotice({ notices, isMailOn }: StoreNoticeDeps): StoreNotice {
  return async (client, notification) => {
    const report = isMailOn ? undefined : buildReport(notification, '');
    if (report === undefined) return;
    const { runId, at, key } = eventOf(notification);
    const { workspaceId, channels } = notification;
    const of = { workspaceId, projectId: channels.projectId, runId, kind: report.kind };
    const text = textOf(report);
    await notices.store(client, { key: `${key}:notice`, ...of, title: report.title, text, createdAt: at });
  };
}

function textOf({ digest, lines, pages, counts }: Report): string {
  if (digest !== null) return digest.summary;
  const changed = counts.filter(({ name }) => ['added', 'removed', 'modified'].includes(name));
  const all = changed.reduce((sum, { count }) => sum + count, 0);
  const url = pages[0]?.url ?? '';
  const first = url === '' ? [] : [all > 1 ? `${url} and others, ${pluralize(all, 'page')} in all.` : url];
  return [...first, ...lines].join('\n');
}
