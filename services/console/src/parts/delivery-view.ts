import { oneOf, textIn } from '../routing/search.ts';

export const DELIVERY_STATUSES = ['pending', 'delivering', 'delivered', 'retrying', 'paused', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What the URL says about a list of deliveries. */
export interface DeliveryView {
  readonly status?: DeliveryStatus | undefined;
  /** The delivery that is open. */
  readonly delivery?: string | undefined;
}

export const deliveryView = (search: Record<string, unknown>): DeliveryView => ({
  status: oneOf(search, 'status', DELIVERY_STATUSES),
  delivery: textIn(search, 'delivery'),
});
