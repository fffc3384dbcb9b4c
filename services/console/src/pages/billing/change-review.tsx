import { useQuery } from '@tanstack/react-query';
import type { Billing, ChangePreview, Checkout } from '@tidemark/sdk';
import { useState } from 'react';
import { openCheckout } from '../../api/checkout.ts';
import { refresh } from '../../api/queries.ts';
import { sendFresh } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Details } from '../../parts/details.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loaded } from '../../parts/states.tsx';
import { date, money, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import type { Period } from './billing-view.ts';
import { PriceLines } from './price-lines.tsx';

const {
  billing: { review: texts },
} = words;

interface Target {
  readonly plan: string;
  readonly period: Period;
}

interface Props {
  readonly title: string;
  /** Undefined: the dialog is closed. */
  readonly to: Target | undefined;
  readonly currency: string;
  /** What happens beyond the credits of the new plan. */
  readonly note: string | undefined;
  readonly onClose: () => void;
}

/** Shows what a change of the plan credits and charges, before it is confirmed. */
export function ChangeReview({ title, to, currency, note, onClose }: Props) {
  return (
    <Dialog isOpen={to !== undefined} onClose={onClose} title={title}>
      {to === undefined ? null : <Preview to={to} currency={currency} note={note} onClose={onClose} />}
    </Dialog>
  );
}

type Changed = Billing | ChangePreview | Checkout;

async function previewOf(to: Target): Promise<ChangePreview> {
  const response: Changed = await sendFresh('POST /me/billing/change', { body: { ...to, preview: true } });
  if (!('dueMinor' in response)) throw new Error(words.states.problem);
  return response;
}

interface PreviewProps extends Pick<Props, 'currency' | 'note' | 'onClose'> {
  readonly to: Target;
}

function Preview({ to, currency, note, onClose }: PreviewProps) {
  const [isSending, setSending] = useState(false);
  const preview = useQuery({
    queryKey: ['change', to.plan, to.period],
    queryFn: () => previewOf(to),

    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    // The amounts of a preview apply for 15 minutes.
    refetchInterval: 10 * 60_000,
    retry: false,
  });
  const confirm = async (done: string | undefined) => {
    setSending(true);
    const isDone = await act(async () => {
      // An upgrade costs what the page shows; a downgrade takes place later, at the new price.
      const shown = done === undefined && preview.data !== undefined ? { previewed_at: preview.data.at } : {};
      const response: Changed = await sendFresh('POST /me/billing/change', {
        body: { ...to, ...shown, preview: false },
      });
      if ('expiresAt' in response) openCheckout(response);
      else await refresh('GET /me/billing');
    }, done);
    setSending(false);
    if (isDone && done !== undefined) onClose();
  };
  return (
    <Loaded of={preview} rows={2}>
      {({ creditMinor, chargeMinor, dueMinor, lines, allowanceAdded, at }) => (
        <>
          <Details
            items={[
              [texts.credit, money(creditMinor, currency)],
              [texts.charge, money(chargeMinor, currency)],
              ...(allowanceAdded === 0 ? [] : [[texts.added, number(allowanceAdded)] as const]),
              [texts.at, date(at)],
            ]}
          />
          {dueMinor === 0 ? (
            <p className="mb-4">{texts.later}</p>
          ) : (
            <PriceLines lines={lines} dueMinor={dueMinor} currency={currency} />
          )}
          {note === undefined ? null : <p className="mb-4 text-muted">{note}</p>}
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={onClose}>{words.states.cancel}</Button>
            <Button
              kind="primary"
              disabled={isSending}
              onClick={() => void confirm(dueMinor === 0 ? texts.scheduled : undefined)}
            >
              {dueMinor === 0 ? texts.schedule : texts.pay}
            </Button>
          </div>
        </>
      )}
    </Loaded>
  );
}
