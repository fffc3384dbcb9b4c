import { createHmac } from 'node:crypto';
import type { Scope } from '@tidemark/contracts';
import { type DeliveryStatus, DeliveryServiceService as Rpc } from '@tidemark/contracts/delivery/v1/delivery';
import { callerIn, newWorkspace } from '@tidemark/testkit';
import { Webhook } from 'standardwebhooks';
import type { startDelivery } from './delivery-servers.ts';
import type { Got } from './receiver.ts';
import { channelsOf, webhookOf } from './sending-servers.ts';

/** A project with a webhook at this address, and calls for it. */
export function projectWithWebhook(
  on: Awaited<ReturnType<typeof startDelivery>>,
  url: string,
  { workspaceId = newWorkspace(), chatUrl }: { workspaceId?: string | undefined; chatUrl?: string | undefined } = {},
) {
  const hook = webhookOf(url, workspaceId);
  const { projectId } = hook;
  const project = { workspaceId, channels: { ...channelsOf(hook), chatUrl } };
  on.projects.push(project);
  const { peer } = on.service;
  const as = (scope: Scope = 'admin', projects?: readonly string[]) => callerIn(workspaceId, { scope, projects });
  return {
    workspaceId,
    projectId,
    made: project,
    as,
    get: (call = as(), deliveries = 10) => peer.call(Rpc.getWebhook, { projectId, deliveries }, call),
    test: (call = as()) => peer.call(Rpc.testWebhook, { projectId }, call, { deadlineMs: 15_000 }),
    rotate: (call = as()) => peer.call(Rpc.rotateSecret, { projectId }, call),
    list: (
      call = as(),
      query: { runId?: string; projectId?: string; status?: DeliveryStatus; limit?: number; cursor?: string } = {},
    ) => peer.call(Rpc.listDeliveries, { limit: 50, ...query }, call),
    redeliver: (id: string, call = as()) => peer.call(Rpc.redeliver, { id }, call),
  };
}

/** As the interface documents: sha256= and the hex HMAC-SHA256 of the raw body under the secret. */
export const isSignedBy = (secret: string | undefined, { body, headers }: Got): boolean =>
  headers['x-service-signature'] ===
  `sha256=${createHmac('sha256', secret ?? '')
    .update(body)
    .digest('hex')}`;

/** Verifies with the library of Standard Webhooks. */
export const isVerifiedBy = (secret: string | undefined, { body, headers }: Got): boolean => {
  const named = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  try {
    return new Webhook(secret ?? '').verify(body, Object.fromEntries(named)) !== undefined;
  } catch {
    return false;
  }
};
