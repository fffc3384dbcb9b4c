import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Billing, Usage } from '@tidemark/sdk';
import { useBilling } from '../../api/billing.ts';
import { useRead } from '../../api/queries.ts';
import { buttonClass } from '../../parts/button.tsx';
import { creditsLeft } from '../../parts/credits-left.ts';
import { DayBars } from '../../parts/day-bars.tsx';
import { Details } from '../../parts/details.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useNames } from '../../parts/use-names.ts';
import { day, number, share } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { type Names, type UsageRow, usageRows } from './usage-rows.ts';
import { USAGE_TABS } from './usage-tabs.ts';

const { usage: texts } = words;

/** Returns the credits that are left, and how many more would be billed. */
function leftText(billing: Billing | undefined, remaining: number | null): string {
  if (remaining === null) return texts.noLimit;
  if (billing === undefined) return number(remaining);
  const { own, billable } = creditsLeft(billing.credits);
  const left = own === null ? texts.noLimit : number(own);
  if (billable === 0) return left;
  return billable === null ? texts.leftThenBilled(left) : texts.leftThenUpTo(left, number(billable));
}

/** Credits and pages: by day, and the month by kind, project, key and model. */
export function UsagePage() {
  const usage = useRead('GET /me/usage', {});
  const me = useRead('GET /me', {});
  const credits = me.data?.credits;
  const billing = useBilling();
  const isSold = (useBilling()?.gateway ?? null) !== null;
  return (
    <>
      <PageHead
        title={texts.title}
        actions={
          isSold ? (
            <Link to="/billing" className={buttonClass()}>
              {words.billing.open}
            </Link>
          ) : undefined
        }
      />
      <Loaded of={usage}>
        {({ days, month }) => (
          <>
            <Panel title={texts.days} className="mb-4">
              <DayBars
                label={texts.days}
                bars={days.map(({ day: date, pages, credits: used }) => ({
                  key: date,
                  label: day(date),
                  value: used,
                  text: texts.dayText(day(date), number(used), number(pages)),
                }))}
              />
              <div className="h-4" />
              <div className="-mb-4">
                <Details
                  items={[
                    [`${texts.credits}, ${texts.month.toLowerCase()}`, number(month.credits)],
                    [`${texts.pages}, ${texts.month.toLowerCase()}`, number(month.pages)],
                    ...(credits === undefined
                      ? []
                      : ([
                          [texts.left, leftText(billing, credits.remaining)],
                          [texts.reserved, number(credits.reserved)],
                        ] as const)),
                  ]}
                />
              </div>
            </Panel>
            <Breakdown month={month} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Breakdown({ month }: { month: Usage['month'] }) {
  const { by = 'project' } = useSearch({ from: '/usage' });
  const navigate = useNavigate({ from: '/usage' });
  const { projects, keys, people } = useNames();
  const names: Names = {
    kinds: texts.kinds,
    noProject: texts.noProject,
    deletedProject: texts.deletedProject,

    schedules: texts.schedules,
    projects,
    actors: new Map([...keys, ...people]),
  };
  return (
    <Tabs
      label={texts.month}
      tabs={USAGE_TABS.map((key) => ({ key, text: texts.by[key] }))}
      current={by}
      onChoose={(key) => void navigate({ search: { by: key }, replace: true, resetScroll: false })}
    >
      <Panel flush>
        {by === 'tokens' ? (
          <Tokens tokens={month.tokens} />
        ) : (
          <Rows rows={usageRows(month, by, names)} title={texts.by[by]} total={month.credits} />
        )}
      </Panel>
    </Tabs>
  );
}

function Rows({ rows, title, total }: { rows: readonly UsageRow[]; title: string; total: number }) {
  if (rows.length === 0) return <Empty title={texts.none} hint={texts.noneHint} />;
  return (
    <PlainTable
      label={title}
      titles={[title, texts.credits, texts.share, texts.pages]}
      rows={rows}
      keyOf={({ key }) => key}
      cells={({ name, credits, pages }) => [
        <span key="name" dir="auto">
          {name}
        </span>,
        number(credits),
        share(total === 0 ? 0 : credits / total),
        number(pages),
      ]}
    />
  );
}

function Tokens({ tokens }: Pick<Usage['month'], 'tokens'>) {
  if (tokens.length === 0) return <Empty title={texts.none} />;
  return (
    <PlainTable
      label={texts.by.tokens}
      titles={[texts.model, texts.by.kind, texts.count, texts.tokens.input, texts.tokens.output]}
      rows={tokens}
      keyOf={({ model, kind }) => `${kind} ${model}`}
      cells={({ model, kind, count, inputTokens, outputTokens }) => [
        model,
        texts.tokens[kind],
        number(count),
        number(inputTokens),
        number(outputTokens),
      ]}
    />
  );
}
