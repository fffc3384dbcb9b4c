import type { Checkout } from '@tidemark/sdk';
import { PlainTable } from '../../parts/plain-table.tsx';
import { money, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const {
  billing: { review: texts },
} = words;

/** The lines of a price with their taxes, and what is due. */
export function PriceLines({ lines, dueMinor, currency }: Pick<Checkout, 'lines' | 'currency'> & { dueMinor: number }) {
  return (
    <>
      {lines.length === 0 ? null : (
        <div className="-mx-4">
          <PlainTable
            label={texts.title}
            titles={[texts.line, texts.tax, texts.net]}
            rows={lines}
            keyOf={({ text }, index) => `${text} ${index}`}
            cells={({ text, quantity, tax, netMinor }) => [
              quantity === 1 ? text : `${text} × ${number(quantity)}`,
              tax.map(({ name, rate, amountMinor }) => (
                <span key={name} className="block">
                  {name} {rate} % <span className="whitespace-nowrap tabular-nums">{money(amountMinor, currency)}</span>
                </span>
              )),
              <span key="net" className="whitespace-nowrap tabular-nums">
                {money(netMinor, currency)}
              </span>,
            ]}
          />
        </div>
      )}
      <p className="my-4 flex flex-wrap justify-between gap-2 font-semibold">
        {texts.total}
        <span className="tabular-nums">{money(dueMinor, currency)}</span>
      </p>
    </>
  );
}
