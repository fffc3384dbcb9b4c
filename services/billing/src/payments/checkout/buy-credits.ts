import type { Pack } from '@tidemark/catalogue';
import { newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { type Buyer, toStoredLines } from '../../documents/document.ts';
import type { Seller } from '../../documents/seller.ts';
import { audited, type RequestedBy } from '../audited.ts';
import type { PaymentGateway } from '../port/gateway.ts';
import type { RequirePayer } from '../require-payer.ts';
import type { OrderStore } from '../store/order-store.ts';
import { type BuyerOf, customerOf } from './buyer.ts';
import { type Checkout, orderCheckout } from './checkout.ts';
import { withTax } from './price.ts';

export interface BuyRequest {
  readonly by: RequestedBy;
  readonly pack: string;
  readonly quantity: number;
  readonly currency: string;
  readonly details: Buyer | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly requestHash: string;
}

/** Orders a credit pack, which checkout completes. A repeated Idempotency-Key returns its first order. @throws AppError validation, conflict */
export type BuyCredits = (request: BuyRequest) => Promise<{ checkout: Checkout; replayed: boolean }>;

export function makeBuyCredits({
  gateway,
  orders,
  packs,
  seller,
  buyerOf,
  requirePayer,
}: {
  readonly gateway: PaymentGateway;
  readonly orders: OrderStore;
  readonly packs: readonly Pack[];
  readonly seller: Seller;
  readonly buyerOf: BuyerOf;
  readonly requirePayer: RequirePayer;
}): BuyCredits {
  return async (request) => {
    const { by, quantity, currency, idempotencyKey, requestHash } = request;
    const { workspaceId } = by;
    const pack = packs.find(({ id }) => id === request.pack);
    const price = pack?.prices[currency];
    if (pack === undefined || price === undefined)
      throw new AppError(
        'validation',
        `pack "${request.pack}" is not sold in ${currency}; expected one of: ${packs.map(({ id }) => id).join(', ')}`,
      );
    await requirePayer(workspaceId);
    const buyer = await buyerOf(by, request.details);
    const text = `${pack.credits.toLocaleString('en')} credits`;
    const taxed = withTax([{ text, quantity, netMinor: BigInt(price * quantity) }], seller, buyer);
    const id = newId('ord');
    const credits = pack.credits * quantity;
    const order = {
      id,
      workspaceId,
      pack: pack.id,
      quantity,
      credits: String(credits),
      currency,

      amountMinor: String(taxed.totalMinor),
      lines: toStoredLines(taxed.lines),
      taxNote: taxed.note,

      idempotencyKey,
      requestHash,
    };
    const detail = { pack: pack.id, quantity, credits, amountMinor: order.amountMinor, currency };
    const row = await orders.insert(order, audited(by, 'credits.ordered', id, detail));
    if (row.requestHash !== requestHash)
      throw new AppError('conflict', 'Idempotency-Key: this key was used for another request; use a new key');
    const customer = customerOf(workspaceId, buyer);
    const amountMinor = Number(row.amountMinor);
    const gatewayId = row.gatewayId ?? (await gateway.order({ ref: row.id, customer, amountMinor, currency, text }));
    if (row.gatewayId === null) await orders.setGatewayId(row.id, gatewayId);
    return { checkout: await orderCheckout(gateway, row, gatewayId), replayed: row.gatewayId !== null };
  };
}
