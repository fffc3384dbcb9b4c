import type { Plan } from '@tidemark/catalogue';
import type { Logger } from '@tidemark/service';
import { toStoredLines } from '../../documents/document.ts';
import type { Seller } from '../../documents/seller.ts';
import { overagePrice } from '../../money/overage-price.ts';
import { withTax } from '../checkout/price.ts';
import type { PaymentGateway } from '../port/gateway.ts';
import { NO_DETAILS } from '../settle/apply-refund.ts';
import type { DetailsStore } from '../store/details-store.ts';
import type { OverageStore, UnbilledPeriod } from '../store/overage-store.ts';

const BATCH = 50;
/** Gateways refuse smaller amounts; such overage is waived. Minor units. */
const SMALLEST_MINOR = 100n;

/**
 * Charges the overage of periods that ended: one charge for each period, which the gateway adds to the next payment of the
 * subscription. It may run in several processes and end at any step: a period has one charge, and the gateway finds a repeated one by its id.
 */
export type BillOverage = (isOpen: () => boolean) => Promise<void>;

export function makeBillOverage({
  gateway,
  overage,
  details,
  plans,
  seller,
  log,
}: {
  readonly gateway: PaymentGateway;
  readonly overage: OverageStore;
  readonly details: DetailsStore;
  readonly plans: Readonly<Record<string, Plan>>;
  readonly seller: Seller;
  readonly log: Logger;
}): BillOverage {
  return async (isOpen) => {
    for (const period of await overage.unbilled(BATCH)) await overage.bill(period, await chargeOf(period));
    for (const charge of await overage.claim(BATCH)) {
      if (!isOpen()) return;
      const { id: ref, gatewayId: subscriptionId, currency, lines } = charge;
      const text = lines[0]?.text ?? 'Overage';
      try {
        await gateway.addCharge({ subscriptionId, ref, amountMinor: Number(charge.grossMinor), currency, text });
        await overage.sent(charge);
      } catch (error) {
        log.warn({ err: error, charge: ref }, 'overage was not added to the next payment, will retry');
      }
    }
  };

  async function chargeOf(period: UnbilledPeriod) {
    const { workspaceId, startsAt, endsAt, plan, currency } = period;
    const per1000 = plans[plan]?.overagePer1000[currency];
    if (per1000 === undefined) return undefined;
    const credits = BigInt(period.overageUsed);
    const buyer = (await details.find(workspaceId)) ?? NO_DETAILS;
    const [from, to] = [startsAt, endsAt].map((date) => date.toISOString().slice(0, 10));
    const text = `Overage from ${from} to ${to}: ${credits.toLocaleString('en')} credits`;
    const { lines, totalMinor } = withTax(
      [{ text, quantity: 1, netMinor: overagePrice(credits, per1000) }],
      seller,
      buyer,
    );
    return {
      id: `${workspaceId}:${startsAt.toISOString()}`,
      grossMinor: String(totalMinor),
      currency,

      lines: toStoredLines(lines),
      isWaived: totalMinor < SMALLEST_MINOR,
    };
  }
}
