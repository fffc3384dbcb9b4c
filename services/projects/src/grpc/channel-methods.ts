import { serviceOf } from '@tidemark/api';
import { ProjectsServiceService as Rpc, type Channels as WireChannels } from '@tidemark/contracts/projects/v1/projects';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { ChannelStore } from '../channels/channel-store.ts';
import { type Channels, channelsOf, maskChannels } from '../domain/channels.ts';
import type { Masking } from '../domain/config-values.ts';
import type { ProjectDesk } from '../project-desk.ts';

const MOST_LISTED = 1_000;

/** `shown` is how the channels are told. Which chat service their address is of shows only before that is masked. */
const toWire = (channels: Channels, shown = channels): WireChannels => ({
  ...shown,
  chatService: chatServiceOf(channels.chatUrl),
  webhookEvents: [...channels.webhookEvents],
  notifyEmails: [...channels.notifyEmails],
});

function chatServiceOf(chatUrl: string): string {
  const known = serviceOf(chatUrl);
  return 'service' in known ? known.service : '';
}

/** Who is told of projects. Only `openChannels` hands addresses out whole: to services, never to anyone outside. */
export function channelMethods({
  desk,
  channels,
  masking,
}: {
  readonly desk: Pick<ProjectDesk, 'get'>;
  readonly channels: ChannelStore;
  readonly masking: Masking;
}): BoundMethod[] {
  return [
    handle(Rpc.openChannels, async ({ projectId }, ctx) => ({
      channels: toWire(channelsOf(await desk.get(callerOf(ctx), projectId))),
    })),
    handle(Rpc.listChannels, async ({ limit, cursor }, ctx) => {
      const wanted = Math.min(Math.max(limit, 1), MOST_LISTED);
      const found = await channels.list(callerOf(ctx), { cursor, limit: wanted });
      return { channels: found.channels.map((one) => toWire(one, maskChannels(one, masking))), next: found.next };
    }),
  ];
}
