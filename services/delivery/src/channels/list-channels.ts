import { allowsProject, type Caller } from '@tidemark/contracts';
import { type Channels, ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { maskUrl } from '@tidemark/project-config';
import type { CallContext, Peer } from '@tidemark/service';
import type pg from 'pg';
import { NO_DELIVERIES, type ReceiverHealth, readHealth } from '../store/receiver-health.ts';
import type { OpenChannels } from './project-channels.ts';

/** A webhook or chat channel of a project, with its delivery health. */
export interface Channel {
  readonly projectId: string;
  readonly projectName: string | undefined;
  readonly seed: string;
  readonly kind: 'webhook' | 'chat';
  /** Undefined: a webhook. */
  readonly service: string | undefined;
  readonly url: string;
  readonly events: readonly string[];
  readonly health: ReceiverHealth;
}

export interface ListChannelsDeps {
  readonly pool: pg.Pool;
  readonly projects: Peer;
  readonly openChannels: OpenChannels;
}

type ChannelWithoutHealth = Omit<Channel, 'health'>;

/** Suffix of a cursor whose page ended between the webhook and the chat channel of one project. */
const AFTER_WEBHOOK = ':webhook';

const receiverOf = ({ projectId, kind }: ChannelWithoutHealth): string => `${projectId}:${kind}`;

/** Lists the channels of the workspace's projects with their health, newest project first. */
export type ListChannels = (
  call: CallContext & { readonly caller: Caller },
  request: { readonly limit: number; readonly cursor: string | undefined },
) => Promise<{ channels: readonly Channel[]; next: string | undefined }>;

export function makeListChannels({ pool, projects, openChannels }: ListChannelsDeps): ListChannels {
  return async (call, { limit, cursor }) => {
    const split = cursor?.endsWith(AFTER_WEBHOOK) === true ? cursor.slice(0, -AFTER_WEBHOOK.length) : undefined;
    const after = split ?? cursor;
    const remaining = split === undefined ? [] : await chatChannelOf(call.caller, split);
    const { channels: listed, next: more } = await projects.call(Projects.listChannels, { limit, cursor: after }, call);
    const all = [...remaining, ...listed.flatMap(channelsOf)];
    const page = all.slice(0, limit);
    const health = await readHealth(pool, call.caller.workspaceId, page.map(receiverOf));
    const channels = page.map((channel) => ({ ...channel, health: health.get(receiverOf(channel)) ?? NO_DELIVERIES }));
    return { channels, next: nextAfter(page, all, more) };
  };

  /** Returns the chat channel of a project whose webhook was the last entry of the previous page. */
  async function chatChannelOf({ workspaceId, access }: Caller, projectId: string): Promise<ChannelWithoutHealth[]> {
    if (!allowsProject(access, projectId)) return [];
    const channels = await openChannels(workspaceId, projectId);
    if (channels === undefined) return [];
    const chatUrl = channels.chatUrl === undefined ? undefined : maskUrl(channels.chatUrl);
    return channelsOf({ ...channels, chatUrl }).filter(({ kind }) => kind === 'chat');
  }
}

function channelsOf(channels: Channels): ChannelWithoutHealth[] {
  const { projectId, projectName, seed, webhookUrl, webhookEvents, chatUrl, chatService } = channels;
  const of = { projectId, projectName, seed };
  return [
    ...(webhookUrl === undefined
      ? []
      : [{ ...of, kind: 'webhook' as const, service: undefined, url: webhookUrl, events: webhookEvents }]),
    ...(chatUrl === undefined
      ? []
      : [{ ...of, kind: 'chat' as const, service: chatService, url: chatUrl, events: [] }]),
  ];
}

/** Returns the next cursor: after the last complete project, or between the two channels of one. */
function nextAfter(
  page: readonly ChannelWithoutHealth[],
  all: readonly ChannelWithoutHealth[],
  more: string | undefined,
): string | undefined {
  const last = page.at(-1);
  const following = all[page.length];
  if (following === undefined || last === undefined) return more;
  return following.projectId === last.projectId ? `${last.projectId}${AFTER_WEBHOOK}` : last.projectId;
}
