import { countsLine, moreLine, pageLine } from '../report/page-line.ts';
import { neutralize } from '../report/plain-text.ts';
import type { Report } from '../report/report.ts';

/** Markdown characters of Discord and Mattermost that both escape with a backslash. */
const MARKUP = /[\\`*_{}[\]()#+\-.!|~>]/g;

/** Escapes text for Markdown: no emphasis, links, mentions, quotes or emoji. */
export const escapeMarkdown = (text: string): string =>
  neutralize(text).replaceAll('<', '<\u200b').replace(MARKUP, '\\$&');

const MAX_LINK_CHARS = 1_500;

/** A link whose address can't end it early. */
function markdownLink(label: string, url: string): string {
  if (url === '' || url.length > MAX_LINK_CHARS) return escapeMarkdown(label);
  const safe = url.replace(/[()<>[\]\\`|*~\s]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return `[${escapeMarkdown(label)}](${safe})`;
}

/** Renders a report's body in Markdown, cut by whole lines to `most` characters. Pages left out are counted. */
export function markdownLines(report: Report, most: number): string {
  const { digest, lines } = report;
  const head = [
    ...(digest === null
      ? []
      : [escapeMarkdown(digest.summary), ...digest.points.map((point) => `• ${escapeMarkdown(point)}`)]),
    ...lines.map(escapeMarkdown),
    escapeMarkdown(countsLine(report)),
  ].filter((line) => line !== '');
  const pages = report.pages
    .map(pageLine)
    .map(({ label, url, summary }) => `${markdownLink(label, url)} ${escapeMarkdown(summary)}`);
  return gathered(head, pages, { more: report.more, most });
}

function gathered(
  head: readonly string[],
  pages: readonly string[],
  { more, most }: { readonly more: number; readonly most: number },
): string {
  for (let kept = pages.length; kept >= 0; kept -= 1) {
    const last = moreLine(more + pages.length - kept);
    const text = [...head, ...pages.slice(0, kept), ...(last === '' ? [] : [last])].join('\n');
    if (text.length <= most) return text;
  }
  // Escaped text is cut by whole lines only: half an escape would be markup.
  return gathered(head.slice(0, -1), [], { more: more + pages.length, most });
}
