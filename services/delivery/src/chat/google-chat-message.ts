import { escapeHtml } from '@tidemark/html';
import { lifeless } from '../notices/plain-text.ts';
import type { Report } from '../notices/report.ts';
import { countsLine, linkName, moreLine, pageLine } from './page-line.ts';

/** Cards read a little html: text of pages has none. */
const quiet = (text: string): string => escapeHtml(lifeless(text));
const paragraph = (text: string) => ({ textParagraph: { text } });

/** A message of Google Chat: one card. Mentions live in `text` alone, which it has none of. */
export function googleChatMessage(report: Report): object {
  const { title, digest, link } = report;
  const said = [...report.lines, countsLine(report)].filter((line) => line !== '').map(quiet);
  const more = moreLine(report.more);
  const points = digest?.points.map((point) => `• ${quiet(point)}`) ?? [];
  const widgets = [
    ...(digest === null ? [] : [paragraph([quiet(digest.summary), ...points].join('<br>'))]),
    ...(said.length === 0 ? [] : [paragraph(said.join('<br>'))]),
    ...report.pages.map(pageLine).map(({ label, url, says }) => ({
      decoratedText: {
        text: `${quiet(label)} <i>${quiet(says)}</i>`,
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
