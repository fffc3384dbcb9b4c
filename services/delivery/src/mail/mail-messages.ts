import type { NewMessage } from '../domain/new-message.ts';
import type { Notification } from '../notifications/notification.ts';
import { buildReport, eventOf } from '../report/build-report.ts';
import { mailContent, mailFooter, mailHtml } from './mail-html.ts';
import { mailText } from './mail-text.ts';

/** Builds a separate mail to each recipient of a project; none where there is nothing to report. */
export type MailMessages = (notification: Notification) => readonly NewMessage[];

export function makeMailMessages(consoleUrl: string): MailMessages {
  return (notification) => {
    const { workspaceId, channels } = notification;
    const addresses = [...new Set(channels.notifyEmails)];
    const report = addresses.length === 0 ? undefined : buildReport(notification, consoleUrl);
    if (report === undefined) return [];
    const { projectId } = channels;
    const { event, runId, at, key } = eventOf(notification);
    const receiver = {
      id: `${projectId}:mail`,
      workspaceId,
      projectId,
      kind: 'mail',
      service: '',
      url: 'mailto:',
    } as const;
    const content = mailContent(report);
    const text = `${mailText(content)}\n\n-- \n${mailFooter(report.project)}\n`;
    const body = JSON.stringify({ subject: report.title, text, html: mailHtml(report, content) });
    return addresses.map((recipient) => ({
      key: `${key}:mail:${recipient}`,
      receiver,
      runId,
      event,
      recipient,
      createdAt: at,
      body: () => body,
    }));
  };
}
