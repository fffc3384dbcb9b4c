import type { Billing } from '@tidemark/sdk';
import { Charges } from '../../parts/charges.tsx';
import { Panel } from '../../parts/panel.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { day, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const {
  billing: { spend: texts },
} = words;

/** Credits of the month by kind, and the latest charges. */
export function Spend({ billing: { spend, charges } }: { billing: Billing }) {
  // The end is the first moment of the next month.
  const lastDay = new Date(Date.parse(spend.end) - 1).toISOString();
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Panel title={`${texts.title}, ${day(spend.start)}–${day(lastDay)}`} flush>
        {spend.byKind.length === 0 ? (
          <p className="px-4 pb-4 text-muted">{texts.none}</p>
        ) : (
          <PlainTable
            label={texts.title}
            titles={[texts.kind, texts.pages, texts.credits]}
            rows={spend.byKind}
            keyOf={({ kind }) => kind}
            cells={({ kind, pages, credits }) => [words.usage.kinds[kind], number(pages), number(credits)]}
          />
        )}
      </Panel>
      <Charges charges={charges} />
    </div>
  );
}
