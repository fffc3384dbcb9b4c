import { neutralize } from '../report/plain-text.ts';
import type { Report } from '../report/report.ts';
import { markdownLines } from './markdown-lines.ts';

/** Older servers cut longer ones. */
const MAX_TEXT_CHARS = 3_800;
const COLOURS = { changed: '#2f6f8f', failing: '#b3261e', recovered: '#2e7d32' } as const;

/** Renders a Mattermost message: one attachment without mentions. */
export function mattermostMessage(report: Report): object {
  const { title, mood, link } = report;
  const attachment = {
    fallback: neutralize(title),
    color: COLOURS[mood],
    title: neutralize(title),
    ...(link === '' ? {} : { title_link: link }),
    text: markdownLines(report, MAX_TEXT_CHARS),
  };
  return { username: 'Tidemark', attachments: [attachment] };
}
