import { DeliveryServiceService as Rpc } from '@tidemark/contracts/delivery/v1/delivery';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, handle } from '@tidemark/service';

/** The face of delivery: proto in, use case, proto out. */
export function deliveryGrpc(): BoundMethod[] {
  return [
    handle(Rpc.listChannels, async () => ({ channels: [], next: '' })),
    handle(Rpc.getWebhook, missing),
    handle(Rpc.testWebhook, missing),
    handle(Rpc.rotateSecret, missing),
    handle(Rpc.listDeliveries, async () => ({ deliveries: [], next: '' })),
    handle(Rpc.redeliver, missing),
    handle(Rpc.listNotices, async () => ({ notices: [], next: '' })),
    handle(Rpc.dismissNotice, missing),
  ];
}

async function missing(): Promise<never> {
  throw new AppError('not_found', 'there is no such delivery');
}
