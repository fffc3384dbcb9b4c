import { newId } from '@tidemark/contracts';
import { changeRows, selectRow, selectRows } from '@tidemark/sql';
import type pg from 'pg';
import { creditShare } from '../money/credit-share.ts';
import { type TaxedLine, totalsOf } from '../money/tax.ts';
import { tables } from '../store/tables.ts';
import { type Buyer, type DocumentBody, toStoredLines, toTaxedLines } from './document.ts';
import { documentNumber, seriesOf } from './document-number.ts';
import type { Seller } from './seller.ts';

export interface NewInvoice {
  readonly workspaceId: string;
  readonly currency: string;
  readonly lines: readonly TaxedLine[];
  readonly note: string;
  readonly buyer: Buyer;
  readonly paymentId: string;
  readonly issuedAt: Date;
}

/** Issues the invoice of a payment, in the transaction that stores the payment. @returns its id */
export async function issueInvoice(db: pg.PoolClient, seller: Seller, invoice: NewInvoice): Promise<string> {
  const { name, address, country, state, taxId, email } = seller;
  const body: DocumentBody = {
    seller: { name, address, country, state, taxId, email },
    buyer: invoice.buyer,
    lines: toStoredLines(invoice.lines),
    note: invoice.note,
    paymentId: invoice.paymentId,
    invoiceNumber: '',
  };
  const totalMinor = totalsOf(invoice.lines).totalMinor;
  const series = seriesOf(seller.invoiceSeries, seller.country, invoice.issuedAt);
  return insertDocument(db, { ...invoice, kind: 'invoice', series, totalMinor, body, invoiceId: null });
}

/** Issues a credit note over a part of an invoice. @returns its id. @throws RangeError beyond what is left of it */
export async function issueCreditNote(
  db: pg.PoolClient,
  seller: Seller,
  {
    invoiceId,
    totalMinor,
    issuedAt,
  }: { readonly invoiceId: string; readonly totalMinor: bigint; readonly issuedAt: Date },
): Promise<string> {
  const documents = tables.selectFrom('documents');
  const invoice = await selectRow(
    db,
    documents
      .select(['workspace_id as workspaceId', 'number', 'currency', 'body'])
      .where('id', '=', invoiceId)
      .forUpdate(),
  );
  if (invoice === undefined) throw new Error(`invoice ${invoiceId} is missing`);
  const notes = await selectRows(db, documents.select('body').where('invoice_id', '=', invoiceId).orderBy('number'));
  const credited = notes.map(({ body }) => toTaxedLines(body.lines));
  const lines = creditShare({ invoice: toTaxedLines(invoice.body.lines), credited }, totalMinor);
  const series = seriesOf(seller.creditNoteSeries, seller.country, issuedAt);
  const body = { ...invoice.body, lines: toStoredLines(lines), invoiceNumber: invoice.number };
  return insertDocument(db, { ...invoice, kind: 'credit_note', series, totalMinor, body, invoiceId, issuedAt });
}

interface Inserted {
  readonly workspaceId: string;
  readonly kind: 'invoice' | 'credit_note';
  readonly series: string;
  readonly currency: string;
  readonly totalMinor: bigint;
  readonly body: DocumentBody;
  readonly invoiceId: string | null;
  readonly issuedAt: Date;
}

/** Takes the next number of the series in the transaction of the document, so that a rollback leaves no gap. */
async function insertDocument(db: pg.PoolClient, { series, ...document }: Inserted): Promise<string> {
  const row = await selectRow(
    db,
    tables
      .insertInto('document_series')
      .values({ name: series, last: 1 })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet(({ eb }) => ({ last: eb('document_series.last', '+', 1) })),
      )
      .returning('last'),
  );
  const id = newId(document.kind === 'invoice' ? 'inv' : 'crn');
  await changeRows(
    db,
    tables.insertInto('documents').values({
      id,
      workspace_id: document.workspaceId,
      kind: document.kind,
      number: documentNumber(series, row?.last ?? 0),
      issued_at: document.issuedAt,
      currency: document.currency,
      total_minor: document.totalMinor.toString(),
      body: JSON.stringify(document.body),
      invoice_id: document.invoiceId,
    }),
  );
  return id;
}
