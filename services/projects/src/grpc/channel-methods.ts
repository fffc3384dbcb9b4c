import { ProjectsServiceService as Rpc, type Channels as WireChannels } from '@tidemark/contracts/projects/v1/projects';
import { type ChatService, serviceOf, toConfigMessage } from '@tidemark/project-config';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { ChannelStore } from '../channels/channel-store.ts';
import { type Channels, channelsOf, maskChannels } from '../domain/channels.ts';
import type { Masking } from '../domain/config-values.ts';
import type { ProjectStore } from '../store/project-store.ts';

const MAX_LISTED = 1_000;

/** `shown`: the channels as returned. The chat service is derived from the URL before it is masked. */
const toWire = (channels: Channels, shown = channels): WireChannels => ({
  ...shown,
  chatService: channels.chatUrl === undefined ? undefined : chatServiceOf(channels.chatUrl),
  webhookEvents: [...channels.webhookEvents],
  notifyEmails: [...channels.notifyEmails],
  alerts: toConfigMessage({ alerts: channels.alerts }).alerts?.values ?? [],
});

function chatServiceOf(chatUrl: string): ChatService | undefined {
  const known = serviceOf(chatUrl);
  return 'service' in known ? known.service : undefined;
}

/** Notification channels. Only `openChannels` returns unmasked URLs; it is for services, the gateway does not expose it. */
export function channelMethods({
  projects,
  channels,
  masking,
}: {
  readonly projects: Pick<ProjectStore, 'get'>;
  readonly channels: ChannelStore;
  readonly masking: Masking;
}): BoundMethod[] {
  return [
    handle(Rpc.openChannels, async ({ projectId }, ctx) => ({
      channels: toWire(channelsOf(await projects.get(callerOf(ctx), projectId))),
    })),
    handle(Rpc.listChannels, async ({ limit, cursor }, ctx) => {
      const size = Math.min(Math.max(limit, 1), MAX_LISTED);
      const found = await channels.list(callerOf(ctx), { cursor, limit: size });
      return { channels: found.channels.map((one) => toWire(one, maskChannels(one, masking))), next: found.next };
    }),
  ];
}
