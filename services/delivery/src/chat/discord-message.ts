import { cut } from '../report/plain-text.ts';
import type { Report } from '../report/report.ts';
import { escapeMarkdown, markdownLines } from './markdown-lines.ts';

/** Discord takes 256; escaped, a character may become two. */
const MAX_TITLE_CHARS = 128;
/** Discord takes 4,096. */
const MAX_DESCRIPTION_CHARS = 4_000;
const COLOURS = { changed: 0x2f6f8f, failing: 0xb3261e, recovered: 0x2e7d32 } as const;

/** Renders a Discord message: one embed. Mentions are disabled. */
export function discordMessage(report: Report): object {
  const { title, mood, link } = report;
  const embed = {
    title: escapeMarkdown(cut(title, MAX_TITLE_CHARS)),
    description: markdownLines(report, MAX_DESCRIPTION_CHARS),
    color: COLOURS[mood],
    ...(link === '' ? {} : { url: link }),
  };
  return { username: 'Tidemark', content: '', embeds: [embed], allowed_mentions: { parse: [] } };
}
