import { countsLine, linkName, moreLine, pageLine } from '../report/page-line.ts';
import { neutralize } from '../report/plain-text.ts';
import type { Report } from '../report/report.ts';

const COLOURS = { changed: 'accent', failing: 'attention', recovered: 'good' } as const;

/** Runs of a RichTextBlock have no markup, other than a TextBlock. */
const run = (text: string, more: object = {}) => ({ type: 'TextRun', text: neutralize(text), ...more });
const block = (inlines: readonly object[], more: object = {}) => ({ type: 'RichTextBlock', inlines, ...more });
const open = (url: string) => ({ type: 'Action.OpenUrl', url });

/** Renders a Microsoft Teams message: an adaptive card, as workflows post it. It has no mention entities. */
export function teamsMessage(report: Report): object {
  const { title, mood, lines, digest, link } = report;
  const textLines = [...lines, countsLine(report)].filter((line) => line !== '');
  const more = moreLine(report.more);
  const body = [
    block([run(title, { weight: 'bolder', size: 'large', color: COLOURS[mood] })]),
    ...(digest === null
      ? []
      : [digest.summary, ...digest.points.map((point) => `• ${point}`)].map((line) => block([run(line)]))),
    ...textLines.map((line) => block([run(line)], { spacing: 'small' })),
    ...report.pages.map(pageLine).map(({ label, url, summary }) =>
      block([run(label, url === '' ? {} : { selectAction: open(url) }), run(` ${summary}`, { isSubtle: true })], {
        spacing: 'small',
      }),
    ),
    ...(more === '' ? [] : [block([run(more)], { spacing: 'small' })]),
  ];
  const actions = link === '' ? {} : { actions: [{ ...open(link), title: linkName(report) }] };
  const schema = 'http://adaptivecards.io/schemas/adaptive-card.json';
  const content = {
    $schema: schema,
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body,
    ...actions,
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}
