import { cut } from './plain-text.ts';
import type { Report, ReportPage } from './report.ts';

const MAX_LABEL_CHARS = 140;
const MAX_TITLE_CHARS = 80;

/** One page of a report as a line: a linked label and a summary. */
export interface PageLine {
  readonly label: string;
  /** Empty: not linked. */
  readonly url: string;
  readonly summary: string;
}

const MARKS = { added: '+', removed: '−', modified: '~', many: '≈' } as const;

/** Formats one page as a line. Its label is its title and its path; the path alone where it has no title. */
export function pageLine({ kind, url, title, summary, section, excerpt }: ReportPage): PageLine {
  const parsed = URL.parse(url);
  // A cut address is not linked.
  const isWeb = (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') && !url.endsWith('…');
  const path = parsed === null ? url : `${parsed.pathname}${parsed.search}`;
  const label = title === '' ? path : `${cut(title, MAX_TITLE_CHARS)} · ${path}`;
  const where = section === '' ? '' : ` in “${section}”`;
  const what = summary === '' ? kind : summary;
  return {
    label: `${MARKS[kind]} ${cut(label, MAX_LABEL_CHARS)}`,
    url: isWeb ? (parsed?.href ?? '') : '',
    summary: `${what}${where}${excerpt === '' ? '' : `: ${excerpt}`}`,
  };
}

/** Returns the label of the link to the run. */
export const linkName = ({ kind }: Report): string => (kind === 'run' ? 'See it whole' : 'See the run');

/** Formats the number of pages left out: `… and 12 more`; empty where there are none. */
export const moreLine = (more: number): string => (more > 0 ? `… and ${more.toLocaleString('en')} more` : '');

/** Formats counts: `3 added · 1 removed`. */
export const countsLine = ({ counts }: Report): string =>
  counts.map(({ name, count }) => `${count.toLocaleString('en')} ${name}`).join(' · ');

/** Returns the report with at most `max` pages. */
export function withPages(report: Report, max: number): Report {
  const pages = report.pages.slice(0, max);
  const left = report.pages.length - pages.length;
  return { ...report, pages, more: report.more + left };
}

/** Renders as many pages as fit into `max` bytes of JSON. */
export function fitting(report: Report, shape: (report: Report) => object, max: number): string {
  for (let pages = report.pages.length; ; pages -= 1) {
    const text = JSON.stringify(shape(withPages(report, pages)));
    if (Buffer.byteLength(text) <= max || pages === 0) return text;
  }
}
