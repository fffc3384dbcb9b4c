import type { Billing } from '@tidemark/sdk';
import { type FormEvent, useState } from 'react';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { money, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { overagePrice } from './overage.ts';
import { SpendLimits } from './spend-limits.tsx';

const {
  billing: { limits: texts, credits: creditTexts },
} = words;

/** The cap of overage, and what keys, people and projects may spend. */
export function Limits({ billing, canPay }: { billing: Billing; canPay: boolean }) {
  const hasOverage = Object.keys(billing.plan.overagePer1000).length > 0;
  return (
    <>
      <Panel title={texts.cap} className="mb-4">
        {hasOverage ? (
          <Cap key={billing.cap} billing={billing} canPay={canPay} />
        ) : (
          <p className="text-muted">{creditTexts.noOverage}</p>
        )}
      </Panel>
      <SpendLimits limits={billing.limits} canPay={canPay} />
    </>
  );
}

/** Returns what a cap allows, in credits and money. */
function roomOf({ plan, subscription }: Billing, cap: number): string {
  if (cap === 0) return texts.noCap;
  const room = Math.floor((plan.allowance ?? 0) * cap);
  const currency = subscription?.currency;
  const price = currency === undefined ? undefined : overagePrice(plan, room, currency);
  return currency === undefined || price === undefined
    ? texts.room(number(room))
    : texts.roomCost(number(room), money(price, currency));
}

function Cap({ billing, canPay }: { billing: Billing; canPay: boolean }) {
  const { send, isSending } = useWrite('PATCH /me/billing/cap', ['GET /me/billing']);
  const [draft, setDraft] = useState(String(billing.cap));
  const cap = Number(draft);
  const isValid = draft !== '' && (cap === 0 || (cap >= 0.1 && cap <= 20));
  const save = (event: FormEvent) => {
    event.preventDefault();
    void act(() => send({ body: { cap: Math.round(cap * 10) / 10 } }), texts.saved);
  };
  return (
    <form onSubmit={save} className="grid max-w-xl grid-cols-[minmax(0,1fr)_auto] gap-2" noValidate>
      <TextField
        label={texts.capField}
        hint={isValid ? roomOf(billing, cap) : texts.capHint}
        type="number"
        min={0}
        max={20}
        step={0.1}
        disabled={!canPay}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
      />
      <div className="pt-7">
        <Button
          type="submit"
          aria-label={`${words.states.save}: ${texts.cap}`}
          disabled={!canPay || isSending || !isValid || cap === billing.cap}
        >
          {words.states.save}
        </Button>
      </div>
    </form>
  );
}
