import type { Billing } from '@tidemark/sdk';
import { openCheckout } from '../../api/checkout.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmedAction } from '../../parts/confirmed-action.tsx';
import { Details } from '../../parts/details.tsx';
import { Panel } from '../../parts/panel.tsx';
import { date, money, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const {
  billing: { plan: texts },
} = words;

type Item = readonly [string, string];

/** Name of the date on which the paid period ends. */
function endTitle({ cancelAtEnd, state }: NonNullable<Billing['subscription']>): string {
  if (cancelAtEnd) return texts.ends;
  return state === 'past_due' ? texts.wasDue : texts.renews;
}

/** What a plan includes. */
function includedIn({ allowance, rpm, subAccounts, features, overagePer1000 }: Billing['plan'], currency: string) {
  const overage = overagePer1000[currency];
  const names: Readonly<Record<string, string>> = texts.featureNames;
  const items: Item[] = [
    [texts.allowance, allowance === null ? texts.noLimit : allowance === 0 ? texts.noAllowance : number(allowance)],
    [texts.rpm, number(rpm)],
    [texts.subAccounts, number(subAccounts)],
  ];
  if (overage !== undefined) items.push([texts.overage, money(overage, currency)]);
  if (features.length > 0) items.push([texts.features, features.map((one) => names[one] ?? one).join(', ')]);
  return items;
}

/** The plan of the workspace, its subscription, and the ways to end it. */
export function PlanPanel({ billing, canPay }: { billing: Billing; canPay: boolean }) {
  const { plan, plans, subscription } = billing;
  const terms: Item[] =
    subscription === null
      ? [[texts.price, texts.free]]
      : [
          [
            texts.price,
            `${money(subscription.netMinor, subscription.currency)} ${texts.per[subscription.period]}, ${texts.without}`,
          ],
          [endTitle(subscription), date(subscription.currentEnd)],
          ...(subscription.card === '' ? [] : ([[texts.card, subscription.card]] as const)),
        ];
  const next = subscription?.next ?? null;
  return (
    <Panel title={texts.title} className="mb-4">
      <div className={subscription === null ? '-mb-4' : ''}>
        <Details items={[[texts.name, plan.name], ...terms, ...includedIn(plan, subscription?.currency ?? 'INR')]} />
      </div>
      {subscription?.cancelAtEnd === true ? (
        <p className="mb-4">{texts.cancelled(date(subscription.currentEnd))}</p>
      ) : null}
      {next === null ? null : (
        <p className="mb-4">{texts.next(plans.find(({ id }) => id === next.plan)?.name ?? next.plan, date(next.at))}</p>
      )}
      {subscription === null || !canPay ? null : <Actions subscription={subscription} />}
    </Panel>
  );
}

function Actions({ subscription }: { subscription: NonNullable<Billing['subscription']> }) {
  const { send: keep, isSending: isKeeping } = useWrite('POST /me/billing/keep', ['GET /me/billing']);
  const { send: cancel } = useWrite('POST /me/billing/cancel', ['GET /me/billing']);
  const { send: card, isSending: isOpening } = useWrite('POST /me/billing/card');
  return (
    <div className="flex flex-wrap gap-2">
      {subscription.next === null ? null : (
        <Button disabled={isKeeping} onClick={() => void act(() => keep({}), texts.kept)}>
          {texts.keep}
        </Button>
      )}
      <Button disabled={isOpening} onClick={() => void act(async () => openCheckout(await card({})))}>
        {texts.newCard}
      </Button>
      {subscription.cancelAtEnd ? null : (
        <ConfirmedAction
          text={texts.cancel}
          title={texts.cancelTitle}
          hint={texts.cancelHint(date(subscription.currentEnd))}
          onConfirm={() => act(() => cancel({ body: {} }), texts.cancelDone)}
        />
      )}
    </div>
  );
}
