import { linkName, pageLine } from '../chat/page-line.ts';
import { lifeless } from '../notices/plain-text.ts';
import type { Report } from '../notices/report.ts';

/** Why somebody is written to: the one way out of it is the project's own setting. */
export const whyWritten = (project: string): string =>
  `You are written to because notify_emails of the project ${project} names your address.`;

/** A report as the plain text of a mail. */
export function mailText(report: Report): string {
  const { title, digest, lines, link, project } = report;
  const counts = report.counts.map(({ name, count }) => `${count.toLocaleString('en')} ${name}`).join(', ');
  const pages = report.pages.map((page) => {
    const says = lifeless(pageLine(page).says);
    return `- ${page.url}\n  ${page.kind}${says === page.kind ? '' : `: ${says}`}`;
  });
  const blocks = [
    title,
    digest === null
      ? ''
      : [lifeless(digest.summary), ...digest.points.map((point) => `- ${lifeless(point)}`)].join('\n'),
    [counts, ...lines.map(lifeless)].filter((line) => line !== '').join('\n'),
    pages.join('\n'),
    report.more > 0 ? `… and ${report.more.toLocaleString('en')} more` : '',
    link === '' ? '' : `${linkName(report)}: ${link}`,
    `-- \n${whyWritten(project)}`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}
