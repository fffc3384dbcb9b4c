import { useQuery } from '@tanstack/react-query';
import type { Checkout } from '@tidemark/sdk';
import { useState } from 'react';
import { openCheckout } from '../../api/checkout.ts';
import { sendFresh } from '../../api/writes.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loaded } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import type { Period } from './billing-view.ts';
import { BuyerForm } from './buyer-form.tsx';
import { PriceLines } from './price-lines.tsx';

const {
  billing: { review: texts, details: detailTexts },
} = words;

/** A plan or credits to buy. */
export type Order =
  | { readonly kind: 'plan'; readonly plan: string; readonly period: Period; readonly currency: string }
  | { readonly kind: 'pack'; readonly pack: string; readonly quantity: number; readonly currency: string };

interface Props {
  readonly title: string;
  /** Undefined: the dialog is closed. */
  readonly order: Order | undefined;
  /** Without details of the buyer, the dialog shows their form first, because they decide the tax. */
  readonly hasDetails: boolean;
  /** What happens beyond the credits of a plan; undefined for a pack. */
  readonly note?: string | undefined;
  readonly onClose: () => void;
}

/** Shows what a purchase charges, line by line with taxes, before the payment. */
export function PurchaseReview({ title, order, hasDetails, note, onClose }: Props) {
  const [isSaved, setSaved] = useState(false);
  return (
    <Dialog isOpen={order !== undefined} onClose={onClose} title={title}>
      {order === undefined ? null : hasDetails || isSaved ? (
        <Offer order={order} note={note} onClose={onClose} />
      ) : (
        <>
          <p className="mb-4 text-muted">{texts.needsDetails}</p>
          <BuyerForm details={null} submit={detailTexts.continue} onSaved={() => setSaved(true)} />
        </>
      )}
    </Dialog>
  );
}

/** Creates the checkout. The order of a dialog is created once: the key is the one of its first attempt. */
async function checkoutOf(order: Order, idempotencyKey: string): Promise<Checkout> {
  if (order.kind === 'plan') {
    const { plan, period, currency } = order;
    return sendFresh('POST /me/billing/subscribe', { body: { plan, period, currency } });
  }
  const { pack, quantity, currency } = order;
  return sendFresh('POST /me/billing/credits/buy', { body: { pack, quantity, currency }, idempotencyKey });
}

function Offer({ order, note, onClose }: { order: Order; note: string | undefined; onClose: () => void }) {
  const [key] = useState(() => crypto.randomUUID());
  const offer = useQuery({
    queryKey: ['checkout', key],
    queryFn: () => checkoutOf(order, key),

    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
    gcTime: 0,
  });
  return (
    <Loaded of={offer} rows={2}>
      {(checkout) => (
        <>
          <PriceLines lines={checkout.lines} dueMinor={checkout.amountMinor} currency={checkout.currency} />
          {note === undefined ? null : <p className="mb-4 text-muted">{note}</p>}
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={onClose}>{words.states.cancel}</Button>
            <Button kind="primary" onClick={() => openCheckout(checkout)}>
              {texts.pay}
            </Button>
          </div>
        </>
      )}
    </Loaded>
  );
}
