import { lifeless } from '../notices/plain-text.ts';
import type { Report } from '../notices/report.ts';
import { countsLine, linkName, moreLine, pageLine } from './page-line.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Cards read a little html: text of pages has none. */
const escapeHtml = (text: string): string => lifeless(text).replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);
const paragraph = (text: string) => ({ textParagraph: { text } });

/** A message of Google Chat: one card. Mentions live in `text` alone, which it has none of. */
export function googleChatMessage(report: Report): object {
  const { title, digest, link } = report;
  const said = [...report.lines, countsLine(report)].filter((line) => line !== '').map(escapeHtml);
  const more = moreLine(report.more);
  const points = digest?.points.map((point) => `• ${escapeHtml(point)}`) ?? [];
  const widgets = [
    ...(digest === null ? [] : [paragraph([escapeHtml(digest.summary), ...points].join('<br>'))]),
    ...(said.length === 0 ? [] : [paragraph(said.join('<br>'))]),
    ...report.pages.map(pageLine).map(({ label, url, says }) => ({
      decoratedText: {
        text: `${escapeHtml(label)} <i>${escapeHtml(says)}</i>`,
        wrapText: true,
        ...(url === '' ? {} : { onClick: { openLink: { url } } }),
      },
    })),
    ...(more === '' ? [] : [paragraph(more)]),
    ...(link === ''
      ? []
      : [{ buttonList: { buttons: [{ text: linkName(report), onClick: { openLink: { url: link } } }] } }]),
  ];
  // A section without widgets is refused.
  const sections = widgets.length === 0 ? [] : [{ widgets }];
  return { cardsV2: [{ cardId: 'report', card: { header: { title: lifeless(title) }, sections } }] };
}
