import type { AlertNotification } from '../notifications/notification.ts';
import { pageOf } from './build-run-report.ts';
import { plain, pluralize } from './plain-text.ts';
import { linkTo, nameOf } from './project-link.ts';
import { PAGES_SHOWN, type Report } from './report.ts';

const MAX_TITLE_CHARS = 140;
const MAX_RULE_CHARS = 80;
const MAX_SUMMARY_CHARS = 300;

/** Builds the report of matches of alert rules; undefined where there are none. */
export function buildAlertReport(
  { channels, runId, matches }: AlertNotification,
  consoleUrl: string,
): Report | undefined {
  if (matches.length === 0) return undefined;
  const project = nameOf(channels);
  const names = [...new Set(matches.map(({ alert }) => plain(alert?.name ?? '', MAX_RULE_CHARS)))];
  const [only] = names;
  const headline =
    names.length === 1 && only !== undefined
      ? `${only} (${pluralize(matches.length, 'change')})`
      : `${pluralize(names.length, 'alert')} (${pluralize(matches.length, 'change')})`;
  const pages = matches.slice(0, PAGES_SHOWN).flatMap(({ alert, entry }) => {
    if (entry === undefined) return [];
    const page = pageOf(entry);
    const rule = names.length === 1 ? '' : plain(alert?.name ?? '', MAX_RULE_CHARS);
    const summary = [rule, page.summary].filter((part) => part !== '').join(': ');
    return [{ ...page, summary: plain(summary, MAX_SUMMARY_CHARS) }];
  });
  return {
    kind: 'run',
    mood: 'changed',
    project,
    title: plain(`${project}: ${headline}`, MAX_TITLE_CHARS),
    lines: [],
    counts: [],
    pages,
    more: Math.max(matches.length - pages.length, 0),
    digest: null,
    link: linkTo(consoleUrl, channels.projectId, runId),
  };
}
