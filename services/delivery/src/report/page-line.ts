import { cut } from './plain-text.ts';
import type { Report, ReportPage } from './report.ts';

const MAX_LABEL_CHARS = 100;

/** How one page of a report is told in a line: a label that leads there, and what is said of it. */
export interface PageLine {
  readonly label: string;
  /** Empty: nowhere to go. */
  readonly url: string;
  readonly summary: string;
}

const MARKS = { added: '+', removed: '−', modified: '~', many: '≈' } as const;

/** One page as a line. Its label is its path, which is what tells pages of one site apart. */
export function pageLine({ kind, url, summary, section, excerpt }: ReportPage): PageLine {
  const parsed = URL.parse(url);
  // One that was cut leads nowhere.
  const isWeb = (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') && !url.endsWith('…');
  const label = parsed === null ? url : `${parsed.pathname}${parsed.search}`;
  const where = section === '' ? '' : ` in “${section}”`;
  const what = summary === '' ? kind : summary;
  return {
    label: `${MARKS[kind]} ${cut(label, MAX_LABEL_CHARS)}`,
    url: isWeb ? (parsed?.href ?? '') : '',
    summary: `${what}${where}${excerpt === '' ? '' : `: ${excerpt}`}`,
  };
}

/** What a link to the whole is called. */
export const linkName = ({ kind }: Report): string => (kind === 'run' ? 'See it whole' : 'See the run');

/** `… and 12 more`; empty where every page is there. */
export const moreLine = (more: number): string => (more > 0 ? `… and ${more.toLocaleString('en')} more` : '');

/** `3 added · 1 removed`. */
export const countsLine = ({ counts }: Report): string =>
  counts.map(({ name, count }) => `${count.toLocaleString('en')} ${name}`).join(' · ');

/** A report that tells fewer pages by name, for a service that takes less. */
export function withPages(report: Report, max: number): Report {
  const pages = report.pages.slice(0, max);
  const left = report.pages.length - pages.length;
  return { ...report, pages, more: report.more + left };
}

/** The shape of as many pages as fit: `most` characters in all. */
export function fitting(report: Report, shape: (report: Report) => object, max: number): string {
  for (let pages = report.pages.length; ; pages -= 1) {
    const text = JSON.stringify(shape(withPages(report, pages)));
    if (Buffer.byteLength(text) <= max || pages === 0) return text;
  }
}
