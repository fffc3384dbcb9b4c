import type { SyncNotification } from '../notifications/notification.ts';
import { plain } from './plain-text.ts';
import { linkTo, nameOf } from './project-link.ts';
import type { Report } from './report.ts';

const MAX_TITLE_CHARS = 140;
const MAX_LINE_CHARS = 500;

/** Builds the report of an ended sync; undefined where nothing was written and nothing failed. */
export function buildSyncReport({ channels, ended, sync }: SyncNotification, consoleUrl: string): Report | undefined {
  const { error, written, deleted, location } = sync;
  if (error === undefined && written + deleted === 0) return undefined;
  const project = nameOf(channels);
  const name = plain(ended.destinationName, 60);
  const lines =
    error === undefined
      ? [`${written} rows written, ${deleted} marked as deleted: ${location}.`]
      : [
          error.message,
          error.hint,
          ...(ended.pausedReason === undefined ? [] : [`The destination is paused: ${ended.pausedReason}.`]),
        ];
  return {
    kind: 'monitor',
    mood: error === undefined ? 'recovered' : 'failing',
    project,
    title: plain(
      `${project}: ${error === undefined ? 'written to' : 'could not be written to'} ${name}`,
      MAX_TITLE_CHARS,
    ),
    lines: lines.map((line) => plain(line, MAX_LINE_CHARS)),

    counts: [],
    pages: [],
    more: 0,
    digest: null,
    link: linkTo(consoleUrl, channels.projectId, sync.sourceId),
  };
}
