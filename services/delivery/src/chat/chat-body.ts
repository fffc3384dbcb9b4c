import { type ChatService, serviceOf } from '@tidemark/project-config';
import { fitting } from '../report/page-line.ts';
import { Report } from '../report/report.ts';
import { discordMessage } from './discord-message.ts';
import { googleChatMessage } from './google-chat-message.ts';
import { mattermostMessage } from './mattermost-message.ts';
import { slackMessage } from './slack-message.ts';
import { teamsMessage } from './teams-message.ts';

/** The renderer of each service, and its limit in bytes. */
const SHAPES: Readonly<Record<ChatService, readonly [shape: (report: Report) => object, mostBytes: number]>> = {
  slack: [slackMessage, 32_000],
  // Teams takes 28 KB, the envelope of the workflow included.
  teams: [teamsMessage, 24_000],
  discord: [discordMessage, 32_000],
  mattermost: [mattermostMessage, 32_000],
  // Google Chat takes 32,000 bytes.
  google_chat: [googleChatMessage, 30_000],
};

export type ChatBody = { readonly service: ChatService; readonly body: string } | { readonly reason: string };

/** Renders a report as JSON for the service of an address; or returns why it can't be posted there. */
export function chatBody(url: string, report: Report): ChatBody {
  const known = serviceOf(url);
  if ('reason' in known) return known;
  const [shape, mostBytes] = SHAPES[known.service];
  return { service: known.service, body: fitting(report, shape, mostBytes) };
}

/** Parses the stored body of a delivery; undefined where it is no report. */
export function readReport(kept: string): Report | undefined {
  try {
    return Report.safeParse(JSON.parse(kept)).data;
  } catch {
    return undefined;
  }
}
