import type pg from 'pg';
import type { HealthTold, RunTold } from '../telling/ports.ts';
import type { NoticeStore } from './notice-store.ts';
import { counted } from './plain-text.ts';
import type { Report } from './report.ts';
import { eventOf, reportOf } from './report-of.ts';

export interface KeepNoticesDeps {
  readonly notices: Pick<NoticeStore, 'keep'>;
  /** Somebody can be written to: nobody finds notices then. */
  readonly isMailOn: boolean;
}

/** Keeps the notice of a run with something to report, or of a site's health. */
export function makeKeepNotices({ notices, isMailOn }: KeepNoticesDeps) {
  return async (client: pg.PoolClient, told: RunTold | HealthTold): Promise<void> => {
    const report = isMailOn ? undefined : reportOf(told, '');
    if (report === undefined) return;
    const { runId, at, key } = eventOf(told);
    const { workspaceId, channels } = told;
    const of = { workspaceId, projectId: channels.projectId, runId, kind: report.kind };
    const text = textOf(report);
    await notices.keep(client, { key: `${key}:notice`, ...of, title: report.title, text, createdAt: at });
  };
}

function textOf({ digest, lines, pages, counts }: Report): string {
  if (digest !== null) return digest.summary;
  const changed = counts.filter(({ name }) => ['added', 'removed', 'modified'].includes(name));
  const all = changed.reduce((sum, { count }) => sum + count, 0);
  const url = pages[0]?.url ?? '';
  const first = url === '' ? [] : [all > 1 ? `${url} and others, ${counted(all, 'page')} in all.` : url];
  return [...first, ...lines].join('\n');
}
