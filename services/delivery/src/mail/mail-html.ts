import { escapeHtml } from '@tidemark/html';
import { linkName, pageLine } from '../report/page-line.ts';
import { neutralize } from '../report/plain-text.ts';
import type { Report, ReportPage } from '../report/report.ts';

/** Escapes text of pages and models: no markup, and nothing a mail client turns into a link. */
const safeText = (text: string): string => escapeHtml(neutralize(text));

const COLOURS = { changed: '#2f6f8f', failing: '#b3261e', recovered: '#2e7d32' } as const;
const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MUTED = 'color:#5b6770';

const paragraph = (html: string, style = ''): string =>
  `<p style="margin:0 0 12px;font-size:15px;line-height:1.5;${style}">${html}</p>`;

/** Footer: why the reader gets this mail; the project's own setting is the way to stop it. */
export const mailFooter = (project: string): string =>
  `You are written to because notify_emails of the project ${project} names your address.`;

/** Renders the report inside a mail, without the page around it. */
export function mailContent(report: Report): string {
  const { title, mood, lines, link } = report;
  return [
    `<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;font-weight:600;overflow-wrap:anywhere">${escapeHtml(title)}</h1>`,
    digestHtml(report),
    countsHtml(report),
    ...lines.map((line) => paragraph(safeText(line))),
    pagesHtml(report),
    link === '' ? '' : buttonHtml(link, linkName(report), COLOURS[mood]),
  ].join('\n');
}

/** Renders a mail: no images, no scripts, no external styles. */
export function mailHtml({ title, mood, project }: Report, content: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:24px 12px;background:#f3f5f6;color:#1d2529;${FONT}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;background:#ffffff;border-top:4px solid ${COLOURS[mood]}">
<tr><td style="padding:24px;text-align:left">
${content}
</td></tr>
<tr><td style="padding:16px 24px;border-top:1px solid #e3e7e9;font-size:12px;line-height:1.5;${MUTED}">${safeText(mailFooter(project))}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
}

function digestHtml({ digest }: Report): string {
  if (digest === null) return '';
  const points = digest.points.map((point) => `<li style="margin:0 0 6px">${safeText(point)}</li>`).join('');
  const list =
    points === '' ? '' : `<ul style="margin:0;padding:0 0 0 20px;font-size:15px;line-height:1.5">${points}</ul>`;
  return `<div style="margin:0 0 20px;padding:14px 16px 8px;background:#f3f7f9;overflow-wrap:anywhere">${paragraph(safeText(digest.summary))}${list}</div>`;
}

function countsHtml({ counts }: Report): string {
  if (counts.length === 0) return '';
  const items = counts.map(({ name, count }) => `<b>${count.toLocaleString('en')}</b> ${escapeHtml(name)}`);
  return paragraph(items.join(' &nbsp;·&nbsp; '));
}

function pagesHtml({ pages, more }: Report): string {
  if (pages.length === 0) return '';
  const rows = pages.map(pageHtml).join('\n');
  const rest = more > 0 ? paragraph(`… and ${more.toLocaleString('en')} more`, MUTED) : '';
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px">\n${rows}\n</table>${rest}`;
}

function pageHtml(page: ReportPage): string {
  const { label, url, summary } = pageLine(page);
  const shown = escapeHtml(label.slice(2));
  const link = url === '' ? shown : `<a href="${escapeHtml(url)}" style="color:#1f5f7f">${shown}</a>`;
  const detail = summary === page.kind ? '' : `<br><span style="font-size:13px;${MUTED}">${safeText(summary)}</span>`;
  const style = 'padding:8px 0;border-top:1px solid #e3e7e9;vertical-align:top;line-height:1.45';
  return `<tr><td width="84" style="${style};font-size:13px;${MUTED}">${page.kind === 'many' ? 'many pages' : page.kind}</td><td style="${style};font-size:14px;overflow-wrap:anywhere;word-break:break-word">${link}${detail}</td></tr>`;
}

function buttonHtml(link: string, name: string, colour: string): string {
  return `<p style="margin:20px 0 4px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:10px 18px;background:${colour};color:#ffffff;text-decoration:none;font-size:15px">${name}</a></p>`;
}
