import type { ChildDetail } from '@tidemark/sdk';
import { number } from '../words/format.ts';
import { words } from '../words/words.ts';
import { Panel } from './panel.tsx';
import { PlainTable } from './plain-table.tsx';
import { Time } from './time.tsx';

const { detail: texts } = words.children;
const { columns: titles } = texts;

/** The latest charges of the month. */
export function Charges({ charges }: Pick<ChildDetail, 'charges'>) {
  return (
    <Panel title={texts.charges} flush>
      {charges.length === 0 ? (
        <p className="px-4 pb-4 text-muted">{texts.noCharges}</p>
      ) : (
        <PlainTable
          label={texts.charges}
          titles={[titles.at, titles.kind, titles.ref, titles.credits]}
          rows={charges}
          keyOf={({ ref }, index) => `${ref} ${index}`}
          cells={({ at, kind, ref, credits }) => [
            <Time key="at" at={at} />,
            <span key="kind" className="whitespace-nowrap">
              {words.usage.kinds[kind]}
            </span>,
            <code key="ref" className="text-xs">
              {ref}
            </code>,
            number(credits),
          ]}
        />
      )}
    </Panel>
  );
}
