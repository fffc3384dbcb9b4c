import type { Billing } from '@tidemark/sdk';
import { creditsLeft } from '../../parts/credits-left.ts';
import { Details } from '../../parts/details.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Progress } from '../../parts/progress.tsx';
import { ShareBar } from '../../parts/share-bar.tsx';
import { date, money, number, share } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { bucketsOf, estimateOverage, overagePrice, reachedStep } from './overage.ts';

const {
  billing: { credits: texts, plan: planTexts },
} = words;

const COLOURS = { allowance: 'bg-good', welcome: 'bg-info', purchased: 'bg-accent' } as const;

/** Credits by kind, the use of the allowance, and overage with its price. */
export function Credits({ billing }: { billing: Billing }) {
  const { credits } = billing;
  const step = reachedStep(credits);
  const { own, billable } = creditsLeft(credits);
  const buckets = bucketsOf(credits);
  const items: (readonly [string, string])[] = [
    [texts.own, own === null ? planTexts.noLimit : number(own)],
    ...(billable === 0 ? [] : ([[texts.billable, billableText(billing, billable)]] as const)),
    [texts.reserved, number(credits.reserved)],
  ];
  if (credits.resetsAt !== null && (credits.allowance ?? 0) > 0) items.push([texts.resets, date(credits.resetsAt)]);
  return (
    <Panel title={texts.title} className="mb-4">
      {buckets === undefined ? (
        <p className="text-muted">{texts.unlimited}</p>
      ) : (
        <ShareBar
          parts={buckets.map((bucket) => ({ ...bucket, text: texts[bucket.key], colour: COLOURS[bucket.key] }))}
        />
      )}
      {credits.allowance === null || credits.allowance === 0 ? null : (
        <div className="mt-4 max-w-xl">
          <p className="text-xs text-muted">{texts.used}</p>
          <Progress label={texts.used} done={credits.allowance - credits.allowanceLeft} total={credits.allowance} />
          {step === undefined ? null : <p className="mt-2">{texts.reached(share(step))}</p>}
        </div>
      )}
      <div className="mt-4 -mb-4">
        <Details items={[...items, ...overageItems(billing)]} />
      </div>
    </Panel>
  );
}

/** Returns how many credits may be spent beyond those that are paid for, with their price. */
function billableText({ plan, subscription }: Billing, billable: number | null): string {
  if (billable === null) return planTexts.noLimit;
  const currency = subscription?.currency ?? Object.keys(plan.overagePer1000)[0];
  const price = currency === undefined ? undefined : overagePrice(plan, billable, currency);
  if (currency === undefined || price === undefined) return number(billable);
  return texts.billableOf(number(billable), money(price, currency));
}

/** Overage and its price, for a plan that has some. */
function overageItems({ plan, credits, subscription }: Billing): (readonly [string, string])[] {
  const currency = subscription?.currency ?? Object.keys(plan.overagePer1000)[0];
  if (currency === undefined) return [];
  const { used, expected } = estimateOverage(credits, Date.now());
  const priced = (count: number): string => {
    const price = overagePrice(plan, count, currency);
    return price === undefined ? number(count) : `${number(count)} (${money(price, currency)})`;
  };
  const room = credits.overageRoom;
  return [
    [texts.overage, room === null ? priced(used) : texts.overageOf(priced(used), number(room))],
    [texts.estimate, priced(expected)],
  ];
}
