import type { Billing } from '@tidemark/sdk';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { money, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { useCurrency } from './plans.tsx';
import { PurchaseReview } from './purchase-review.tsx';

const {
  billing: { packs: texts },
} = words;
const MAX_QUANTITY = 100;

/** Credit packs, each with the button that leads to its price and its payment. */
export function Packs({ billing, canPay }: { billing: Billing; canPay: boolean }) {
  const currency = useCurrency(billing);
  const [quantity, setQuantity] = useState('1');
  const [chosen, setChosen] = useState<Billing['packs'][number]>();
  const count = Number(quantity);
  const isValid = Number.isInteger(count) && count >= 1 && count <= MAX_QUANTITY;
  return (
    <Panel title={texts.title} className="mb-4">
      <p className="mb-4 text-muted">{texts.hint}</p>
      {canPay ? (
        <div className="mb-4 max-w-40">
          <TextField
            label={texts.quantity}
            type="number"
            min={1}
            max={MAX_QUANTITY}
            value={quantity}
            onChange={(event) => setQuantity(event.target.value)}
          />
        </div>
      ) : null}
      <ul className="flex flex-wrap gap-4">
        {billing.packs
          .filter(({ prices }) => currency in prices)
          .map((pack) => (
            <li key={pack.id} className="flex flex-wrap items-center gap-3 rounded-lg border border-line p-3">
              <span className="tabular-nums">
                {money((pack.prices[currency] ?? 0) * (isValid ? count : 1), currency)}
              </span>
              {canPay ? (
                <Button disabled={!isValid} onClick={() => setChosen(pack)}>
                  {texts.buy(number(pack.credits * (isValid ? count : 1)))}
                </Button>
              ) : (
                number(pack.credits)
              )}
            </li>
          ))}
      </ul>
      <PurchaseReview
        title={texts.review(number((chosen?.credits ?? 0) * count))}
        order={chosen === undefined ? undefined : { kind: 'pack', pack: chosen.id, quantity: count, currency }}
        hasDetails={billing.billingDetails !== null}
        onClose={() => setChosen(undefined)}
      />
    </Panel>
  );
}
