import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Billing } from '@tidemark/sdk';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Select } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { date, money, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { PERIODS, type Period } from './billing-view.ts';
import { ChangeReview } from './change-review.tsx';
import { overagePrice } from './overage.ts';
import { PurchaseReview } from './purchase-review.tsx';

const {
  billing: { choose: texts, plan: planTexts },
} = words;
type Plan = Billing['plans'][number];

/** Returns the currencies in which plans are sold. */
export const currenciesOf = (plans: readonly Plan[]): string[] => [
  ...new Set(plans.flatMap(({ prices }) => Object.keys(prices))),
];

/** Returns the currency of payments: the one of the subscription, the chosen one, or the first. */
export function useCurrency({ subscription, plans }: Pick<Billing, 'subscription' | 'plans'>): string {
  const { currency } = useSearch({ from: '/billing' });
  const all = currenciesOf(plans);
  return subscription?.currency ?? all.find((one) => one === currency) ?? all[0] ?? 'INR';
}

/** Returns what happens when the credits of a plan are used: overage is on by default. */
function overageNote(plan: Plan, cap: number, currency: string): string {
  const per = plan.overagePer1000[currency];
  if (per === undefined) return texts.noOverage;
  const room = Math.floor((plan.allowance ?? 0) * cap);
  const price = overagePrice(plan, room, currency) ?? 0;
  const most = cap === 0 ? texts.overageNoLimit : texts.overageMost(words.counts.credits(room), money(price, currency));
  return texts.overage(money(per, currency), most);
}

/** The plans that are sold, each with the button that leads to its price and its payment. */
export function Plans({ billing, canPay }: { billing: Billing; canPay: boolean }) {
  const { plans, subscription } = billing;
  const search = useSearch({ from: '/billing' });
  const [chosen, setChosen] = useState<Plan>();
  const currency = useCurrency(billing);
  const period = search.period ?? subscription?.period ?? 'month';
  const sold = plans.filter(({ prices }) => currency in prices);
  return (
    <Panel title={texts.title} className="mb-4">
      <Terms billing={billing} period={period} currency={currency} />
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {sold.map((plan) => (
          <PlanCard
            key={plan.id}
            plan={plan}
            billing={billing}
            canPay={canPay}
            terms={{ period, currency }}
            onChoose={() => setChosen(plan)}
          />
        ))}
      </ul>
      {subscription === null ? (
        <PurchaseReview
          title={texts.review(chosen?.name ?? '')}
          order={chosen === undefined ? undefined : { kind: 'plan', plan: chosen.id, period, currency }}
          hasDetails={billing.billingDetails !== null}
          note={chosen && overageNote(chosen, billing.cap, currency)}
          onClose={() => setChosen(undefined)}
        />
      ) : (
        <ChangeReview
          title={texts.review(chosen?.name ?? '')}
          to={chosen === undefined ? undefined : { plan: chosen.id, period }}
          currency={currency}
          note={chosen && overageNote(chosen, billing.cap, currency)}
          onClose={() => setChosen(undefined)}
        />
      )}
    </Panel>
  );
}

interface CardProps {
  readonly plan: Plan;
  readonly billing: Billing;
  readonly canPay: boolean;
  readonly terms: { readonly period: Period; readonly currency: string };
  readonly onChoose: () => void;
}

/** A plan with what it costs and includes, and the button that leads to its payment. */
function PlanCard({ plan, billing, canPay, terms: { period, currency }, onChoose }: CardProps) {
  const { subscription } = billing;
  const isCurrent = subscription?.plan === plan.id && subscription.period === period;
  return (
    <li className="flex min-w-0 flex-col rounded-lg border border-line p-4">
      <h3 className="font-semibold">{plan.name}</h3>
      <p className="my-1 text-lg font-semibold tabular-nums">
        {money(plan.prices[currency]?.[period] ?? 0, currency)}
        <span className="text-sm font-normal text-muted"> {planTexts.per[period]}</span>
      </p>
      <p>{texts.credits(number(plan.allowance ?? 0))}</p>
      <p className="mb-4">{texts.accounts(number(plan.subAccounts))}</p>
      <div className="mt-auto">
        {billing.plan.allowance === null && plan.allowance !== null ? (
          <p className="mb-2 text-xs">{texts.losesNoLimit(plan.name, words.counts.credits(plan.allowance))}</p>
        ) : null}
        {subscription?.cancelAtEnd === true ? (
          <p className="py-1.5 text-muted">{texts.again(date(subscription.currentEnd))}</p>
        ) : isCurrent ? (
          <p className="py-1.5 text-muted">{texts.current}</p>
        ) : canPay ? (
          <Button onClick={onChoose}>
            {subscription === null ? texts.subscribe(plan.name) : texts.change(plan.name)}
          </Button>
        ) : null}
      </div>
    </li>
  );
}

/** The period and the currency in which the prices of plans are shown. */
function Terms({ billing, period, currency }: { billing: Billing; period: Period; currency: string }) {
  const { plans, subscription } = billing;
  const search = useSearch({ from: '/billing' });
  const navigate = useNavigate({ from: '/billing' });
  return (
    <div className="mb-4 grid max-w-md gap-4 sm:grid-cols-2">
      <Select
        label={texts.period}
        value={period}
        choices={PERIODS.map((value) => ({ value, text: texts.periods[value] }))}
        onValue={(value) => void navigate({ search: { ...search, period: value }, replace: true, resetScroll: false })}
      />
      <Select
        label={texts.currency}
        value={currency}
        disabled={subscription !== null}
        choices={currenciesOf(plans).map((value) => ({ value, text: value }))}
        onValue={(value) =>
          void navigate({ search: { ...search, currency: value }, replace: true, resetScroll: false })
        }
      />
    </div>
  );
}
