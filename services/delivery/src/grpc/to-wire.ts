import type {
  Channel as WireChannel,
  Delivery as WireDelivery,
  Health as WireHealth,
} from '@tidemark/contracts/delivery/v1/delivery';
import type { Channel } from '../channels/list-channels.ts';
import type { DeliveryRow } from '../store/deliveries.ts';
import type { ReceiverHealth } from '../store/receiver-health.ts';

export function toWireHealth({ service: _, lastStatus, ...health }: ReceiverHealth): WireHealth {
  return { ...health, lastStatus: statusOrAbsent(lastStatus) };
}

/** Converts a stored HTTP status: 0 stands for no response. */
const statusOrAbsent = (status: number): number | undefined => (status === 0 ? undefined : status);

export function toWireDelivery(row: DeliveryRow): WireDelivery {
  const {
    queueKey: _key,
    receiverId: _receiver,
    host,
    recipient,
    nextAt,
    deliveredAt,
    log,
    lastStatus,
    ...fields
  } = row;
  return {
    ...fields,
    lastStatus: statusOrAbsent(lastStatus),
    nextAt: nextAt ?? undefined,
    deliveredAt: deliveredAt ?? undefined,
    receiver: recipient === '' ? host : maskMail(recipient),
    log: log.map((attempt) => ({ ...attempt, status: statusOrAbsent(attempt.status) })),
  };
}

export const toWireChannel = (channel: Channel): WireChannel => ({
  ...channel,
  events: [...channel.events],
  health: toWireHealth(channel.health),
});

/** Masks a mail address: `ada@example.test` becomes `a…@example.test`. */
function maskMail(address: string): string {
  const at = address.lastIndexOf('@');
  return `${[...address.slice(0, Math.max(at, 0))][0] ?? ''}…${address.slice(Math.max(at, 0))}`;
}
