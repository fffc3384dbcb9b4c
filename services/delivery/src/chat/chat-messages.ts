import { serviceOf } from '@tidemark/project-config';
import type { NewMessage } from '../domain/new-message.ts';
import type { Notification } from '../notifications/notification.ts';
import { buildReport, eventOf } from '../report/build-report.ts';

/**
 * Builds the message to a project's chat channel; none without one, or where there is nothing to report. The report is stored, and rendered for
 * a service when it is sent, by the address at that time. An address of an unknown service fails then, with the reason in its log.
 */
export type ChatMessages = (notification: Notification) => readonly NewMessage[];

export function makeChatMessages(consoleUrl: string): ChatMessages {
  return (notification) => {
    const { workspaceId, channels } = notification;
    const { projectId, chatUrl } = channels;
    if (chatUrl === undefined) return [];
    const report = buildReport(notification, consoleUrl);
    if (report === undefined) return [];
    const known = serviceOf(chatUrl);
    const service = 'service' in known ? known.service : '';
    const { event, runId, at, key } = eventOf(notification);
    const receiver = { id: `${projectId}:chat`, workspaceId, projectId, kind: 'chat', service, url: chatUrl } as const;
    const body = JSON.stringify(report);
    return [{ key: `${key}:chat`, receiver, runId, event, recipient: '', createdAt: at, body: () => body }];
  };
}
