import { useBilling } from '../../api/billing.ts';
import { useRead } from '../../api/queries.ts';
import { creditsLeft } from '../../parts/credits-left.ts';
import { DayBars } from '../../parts/day-bars.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { day, number } from '../../words/format.ts';
import { words } from '../../words/frame.ts';

const { overview } = words;

function Figure({ value, text }: { value: string; text: string }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-xs text-muted">{text}</dt>
      <dd className="text-xl font-semibold tabular-nums">{value}</dd>
    </div>
  );
}

/** Pages of the last 30 days, and the figures of this month. */
export function UsageBars() {
  const usage = useRead('GET /me/usage', {});
  const billing = useBilling();
  // What would be billed is not left: `remaining` includes it.
  const left = billing === undefined ? undefined : creditsLeft(billing.credits).own;
  return (
    <Panel title={overview.pagesByDay} className="min-h-80 lg:col-span-2">
      <Loaded of={usage}>
        {({ days, month }) => (
          <>
            <DayBars
              label={overview.pagesByDay}
              bars={days.map(({ day: date, pages, credits: used }) => ({
                key: date,
                label: day(date),
                value: pages,
                text: overview.pagesOn(day(date), number(pages), number(used)),
              }))}
            />
            <dl className="mt-4 flex flex-wrap gap-x-8 gap-y-3" aria-label={overview.month}>
              <Figure value={number(month.pages)} text={`${overview.pages}, ${overview.month.toLowerCase()}`} />
              <Figure value={number(month.credits)} text={`${overview.credits}, ${overview.month.toLowerCase()}`} />
              {left === undefined || left === null ? null : <Figure value={number(left)} text={overview.remaining} />}
            </dl>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
