import { escapeHtml } from '@tidemark/html';
import { countsLine, linkName, moreLine, pageLine } from '../report/page-line.ts';
import { neutralize } from '../report/plain-text.ts';
import type { Report } from '../report/report.ts';

/** Cards interpret some html, so text of pages is escaped. */
const safeText = (text: string): string => escapeHtml(neutralize(text));
const paragraph = (text: string) => ({ textParagraph: { text } });

/** Renders a Google Chat message: one card. Mentions are read in `text` only, which is not used. */
export function googleChatMessage(report: Report): object {
  const { title, digest, link } = report;
  const textLines = [...report.lines, countsLine(report)].filter((line) => line !== '').map(safeText);
  const more = moreLine(report.more);
  const points = digest?.points.map((point) => `• ${safeText(point)}`) ?? [];
  const widgets = [
    ...(digest === null ? [] : [paragraph([safeText(digest.summary), ...points].join('<br>'))]),
    ...(textLines.length === 0 ? [] : [paragraph(textLines.join('<br>'))]),
    ...report.pages.map(pageLine).map(({ label, url, summary }) => ({
      decoratedText: {
        text: `${safeText(label)} <i>${safeText(summary)}</i>`,
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
  return { cardsV2: [{ cardId: 'report', card: { header: { title: neutralize(title) }, sections } }] };
}
