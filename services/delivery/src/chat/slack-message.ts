import { escapeTags } from '@tidemark/html';
import { countsLine, linkName, moreLine, pageLine } from '../report/page-line.ts';
import { cut, neutralize } from '../report/plain-text.ts';
import type { Report } from '../report/report.ts';

const MAX_HEADER_CHARS = 150;
const MAX_SECTION_CHARS = 3_000;
/** Slack refuses longer ones in links. */
const MAX_LINK_CHARS = 3_000;

const plainText = (text: string) => ({ type: 'plain_text', text, emoji: false });
const section = (text: string) => ({ type: 'section', text: plainText(cut(neutralize(text), MAX_SECTION_CHARS)) });
const textRun = (text: string) => ({ type: 'text', text: neutralize(text) });
const linkRun = (url: string, text: string) =>
  url === '' || url.length > MAX_LINK_CHARS ? textRun(text) : { type: 'link', url, text };

/** Renders a Slack message in blocks. Text of pages is placed in plain and rich text only, where it is no markup, mention or link. */
export function slackMessage(report: Report): object {
  const { title, lines, digest, link } = report;
  const textLines = [...lines, countsLine(report)].filter((line) => line !== '').join('\n');
  return {
    // Shown in notifications; the only place where Slack reads markup.
    text: escapeTags(title),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plainText(cut(title, MAX_HEADER_CHARS)) },
      ...(digest === null ? [] : [section(digest.summary), ...list(digest.points.map((point) => [textRun(point)]))]),
      ...(textLines === '' ? [] : [section(textLines)]),
      ...list(pageRuns(report)),
      ...(link === '' ? [] : [{ type: 'rich_text', elements: [runs([linkRun(link, linkName(report))])] }]),
    ],
  };
}

function pageRuns(report: Report): object[][] {
  const pages = report.pages
    .map(pageLine)
    .map(({ label, url, summary }) => [linkRun(url, label), textRun(` ${summary}`)]);
  const more = moreLine(report.more);
  return more === '' ? pages : [...pages, [textRun(more)]];
}

const runs = (elements: readonly object[]) => ({ type: 'rich_text_section', elements });

function list(items: readonly (readonly object[])[]): object[] {
  if (items.length === 0) return [];
  return [{ type: 'rich_text', elements: [{ type: 'rich_text_list', style: 'bullet', elements: items.map(runs) }] }];
}
