import type { Record as ChangeRecord, Entry } from '@tidemark/contracts/diff/v1/diff';
import { COVERAGE_REASON_MEANINGS } from '@tidemark/results';
import type { RunNotification } from '../notifications/notification.ts';
import { excerptOf } from './excerpt.ts';
import { plain, pluralize } from './plain-text.ts';
import { linkTo, nameOf } from './project-link.ts';
import { isReportable, PAGES_SHOWN, type Report, type ReportPage } from './report.ts';

const MAX_TITLE_CHARS = 140;
const MAX_URL_CHARS = 2_000;
const MAX_SECTION_CHARS = 120;
const MAX_SUMMARY_CHARS = 1_200;
const MAX_POINT_CHARS = 300;
const MAX_POINTS = 5;
const MAX_BREAKS = 5;

/** Builds the report of a run; undefined where there is nothing to report. */
export function buildRunReport(notification: RunNotification, consoleUrl: string): Report | undefined {
  const { record, run, channels } = notification;
  // What a cancelled run saw is found again, and reported, by the next run that is done.
  if (run.status !== 'done' || record?.status !== 'made' || !isReportable(record, notification.entries))
    return undefined;
  const project = nameOf(channels);
  const changed = notification.entries.filter(isChange);
  const pages = changed.slice(0, PAGES_SHOWN).map(pageOf);
  const count = (name: string): number => record.counts[name] ?? 0;
  const inAll = count('added') + count('removed') + count('modified');
  const named = changed.slice(0, PAGES_SHOWN).reduce((sum, entry) => sum + countedIn(entry), 0);
  return {
    kind: 'run',
    mood: 'changed',
    project,
    title: plain(`${project}: ${headline(count, changed)}`, MAX_TITLE_CHARS),
    lines: [...coverageLines(record), ...breakLines(record)],
    counts: [
      { name: 'added', count: count('added') },
      { name: 'removed', count: count('removed') },
      { name: 'modified', count: count('modified') },
      { name: `${count('fields') === 1 ? 'field' : 'fields'} changed`, count: count('fields') },
      { name: `${count('selectorBreaks') === 1 ? 'selector' : 'selectors'} broken`, count: count('selectorBreaks') },
    ].filter((each) => each.count > 0),
    pages,
    more: Math.max(inAll - named, 0),
    digest: notification.digest && {
      summary: plain(notification.digest.summary, MAX_SUMMARY_CHARS),
      points: notification.digest.points.slice(0, MAX_POINTS).map((point) => plain(point, MAX_POINT_CHARS)),
      significant: notification.digest.significant,
    },
    link: linkTo(consoleUrl, channels.projectId, run.runId),
  };
}

function headline(count: (name: string) => number, changed: readonly Entry[]): string {
  const parts = [
    [count('added'), 'added'],
    [count('removed'), 'removed'],
    [count('modified'), 'modified'],
  ] as const;
  const [first, ...rest] = parts.filter(([pages]) => pages > 0);
  if (first !== undefined)
    return [`${pluralize(first[0], 'page')} ${first[1]}`, ...rest.map(([pages, what]) => `${pages} ${what}`)].join(
      ', ',
    );
  if (count('fields') > 0) return `${pluralize(count('fields'), 'field')} changed`;
  if (count('selectorBreaks') > 0) return `${pluralize(count('selectorBreaks'), 'selector')} broken`;
  const most = Math.max(0, ...changed.map(({ template }) => template?.pages ?? 0));
  return `the same change on ${pluralize(most, 'page')}`;
}

function coverageLines({ coverage }: ChangeRecord): string[] {
  if (coverage === undefined || coverage.verdict) return [];
  const reasons = coverage.reasons
    .map((reason) => COVERAGE_REASON_MEANINGS[reason])
    .filter((words) => words !== undefined);
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return [`This is no verdict on the whole site${why}.`];
}

function breakLines({ breaks }: ChangeRecord): string[] {
  const lines = breaks
    .slice(0, MAX_BREAKS)
    .map(
      ({ setting, selector }) =>
        `The selector ${plain(selector, 100)} of ${plain(setting, 60)} no longer matches anything.`,
    );
  const more = breaks.length - lines.length;
  return more > 0
    ? [...lines, `${pluralize(more, 'more selector')} also no longer ${more === 1 ? 'matches' : 'match'} anything.`]
    : lines;
}

/** Returns how many changed pages an entry stands for. Pages whose template alone changed count as the same, except in a redesign. */
function countedIn({ kind, template }: Entry): number {
  if (kind !== 'template') return 1;
  return template?.isRedesign === true ? template.pages : 0;
}

/** Whether an entry is a change that is not volatile. */
function isChange({ kind, volatile }: Entry): boolean {
  return !volatile && (kind === 'added' || kind === 'removed' || kind === 'modified' || kind === 'template');
}

/** Returns an entry as a report lists it. */
export function pageOf(entry: Entry): ReportPage {
  // The section of an added or removed page is its title.
  const isWhole = entry.kind === 'added' || entry.kind === 'removed';
  const title = plain(entry.title ?? (isWhole ? entry.section : ''), MAX_SECTION_CHARS);
  const section = isWhole ? '' : plain(entry.section, MAX_SECTION_CHARS);
  const common = { url: plain(entry.url, MAX_URL_CHARS), title, section, excerpt: '' };
  if (entry.kind === 'added') return { ...common, kind: 'added', summary: entry.returned ? 'is back' : words(entry) };
  if (entry.kind === 'removed') return { ...common, kind: 'removed', summary: '' };
  const excerpt = excerptOf(entry);
  if (entry.kind !== 'template') return { ...common, kind: 'modified', summary: words(entry), excerpt };
  const pages = pluralize(entry.template?.pages ?? 0, 'page');
  const summary = entry.template?.isRedesign === true ? `${pages} redesigned` : `the same on ${pages}`;
  return { ...common, kind: 'many', summary, excerpt, url: plain(entry.template?.urls[0] ?? '', MAX_URL_CHARS) };
}

function words({ wordsAdded, wordsRemoved, fields, movedFrom, reordered }: Entry): string {
  const parts = [
    wordsAdded > 0 ? `${pluralize(wordsAdded, 'word')} added` : '',
    wordsRemoved > 0
      ? `${wordsAdded > 0 ? wordsRemoved.toLocaleString('en') : pluralize(wordsRemoved, 'word')} removed`
      : '',
    fields.length > 0 ? `${plain(fields.map(({ name }) => name).join(', '), 100)} changed` : '',
    movedFrom === undefined ? '' : `moved from ${plain(movedFrom, 200)}`,
    reordered ? 'reordered' : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}
