import type { Invoice, Receipt } from '@tidemark/sdk';
import { useList } from '../../api/lists.ts';
import { Button } from '../../parts/button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { date, money } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const {
  billing: { invoices: texts },
} = words;
const LIMIT = 50;

/** Invoices with their documents, and receipts. */
export function Invoices() {
  const invoices = useList('GET /me/billing/invoices', { query: { limit: LIMIT } });
  const receipts = useList('GET /me/billing/receipts', { query: { limit: LIMIT } });
  return (
    <>
      <Panel title={texts.title} flush className="mb-4">
        <Loaded of={invoices}>{({ pages }) => <InvoiceTable invoices={pages.flatMap(({ data }) => data)} />}</Loaded>
        <More list={invoices} />
      </Panel>
      <Panel title={texts.receipts} flush>
        <Loaded of={receipts}>{({ pages }) => <ReceiptTable receipts={pages.flatMap(({ data }) => data)} />}</Loaded>
        <More list={receipts} />
      </Panel>
    </>
  );
}

interface PagedList {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
}

function More({ list: { hasNextPage, isFetchingNextPage, fetchNextPage } }: { list: PagedList }) {
  if (!hasNextPage) return null;
  return (
    <p className="border-t border-line p-3 text-center">
      <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {words.states.more}
      </Button>
    </p>
  );
}

/** Two values below each other, so that the table fits the width of a phone. The first is not broken into lines. */
const Pair = ({ first, second }: { first: string; second: string }) => (
  <>
    <span className="block whitespace-nowrap tabular-nums">{first}</span>
    {second === '' ? null : <span className="block text-xs text-muted">{second}</span>}
  </>
);

function InvoiceTable({ invoices }: { invoices: readonly Invoice[] }) {
  if (invoices.length === 0) return <Empty title={texts.none} hint={texts.noneHint} />;
  return (
    <PlainTable
      label={texts.title}
      titles={[texts.number, texts.total, texts.documents]}
      rows={invoices}
      keyOf={({ id }) => id}
      cells={({ id, number, issuedAt, totalMinor, currency, state, creditNotes }) => [
        <Pair key="number" first={number} second={date(issuedAt)} />,
        <Pair key="total" first={money(totalMinor, currency)} second={texts.states[state]} />,
        <div key="documents" className="grid gap-1">
          <DocumentLinks path={`invoices/${id}`} number={number} />
          {creditNotes.map((note) => (
            <span key={note.id} className="text-xs text-muted">
              {texts.creditNote(note.number, money(note.totalMinor, currency))}
              <DocumentLinks path={`credit-notes/${note.id}`} number={note.number} />
            </span>
          ))}
        </div>,
      ]}
    />
  );
}

/** Links to a document as a page and as PDF. They open beside the console, which keeps its state. */
function DocumentLinks({ path, number }: { path: string; number: string }) {
  const href = `/v1/me/billing/${path}`;
  const common = { target: '_blank', rel: 'noopener', className: 'text-sm underline' } as const;
  return (
    <span className="flex gap-3">
      <a {...common} href={href} aria-label={texts.openOf(number)}>
        {texts.open}
      </a>
      <a {...common} href={`${href}?format=pdf`} aria-label={texts.pdfOf(number)}>
        {texts.pdf}
      </a>
    </span>
  );
}

function ReceiptTable({ receipts }: { receipts: readonly Receipt[] }) {
  if (receipts.length === 0) return <p className="px-4 pb-4 text-muted">{texts.noReceipts}</p>;
  return (
    <PlainTable
      label={texts.receipts}
      titles={[texts.payment, texts.date, texts.amount]}
      rows={receipts}
      keyOf={({ gatewayPaymentId }) => gatewayPaymentId}
      cells={({ gatewayPaymentId, paidAt, method, amountMinor, refundedMinor, currency }) => [
        <code key="payment" className="text-xs whitespace-nowrap">
          {gatewayPaymentId}
        </code>,
        <Pair key="date" first={date(paidAt)} second={method} />,
        <Pair
          key="amount"
          first={money(amountMinor, currency)}
          second={refundedMinor === 0 ? '' : texts.refunded(money(refundedMinor, currency))}
        />,
      ]}
    />
  );
}
