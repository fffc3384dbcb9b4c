import { newId } from '@tidemark/contracts';
import type pg from 'pg';
import { creditShare } from '../money/credit-share.ts';
import { type TaxedLine, totalsOf } from '../money/tax.ts';
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
  const { rows } = await db.query<{ workspaceId: string; number: string; currency: string; body: DocumentBody }>(
    'SELECT workspace_id AS "workspaceId", number, currency, body FROM documents WHERE id = $1 FOR UPDATE',
    [invoiceId],
  );
  const [invoice] = rows;
  if (invoice === undefined) throw new Error(`invoice ${invoiceId} is missing`);
  const { rows: notes } = await db.query<{ body: DocumentBody }>(
    'SELECT body FROM documents WHERE invoice_id = $1 ORDER BY number',
    [invoiceId],
  );
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
  const { rows } = await db.query<{ last: number }>(
    `INSERT INTO document_series AS s (name, last) VALUES ($1, 1)
     ON CONFLICT (name) DO UPDATE SET last = s.last + 1 RETURNING last`,
    [series],
  );
  const id = newId(document.kind === 'invoice' ? 'inv' : 'crn');
  await db.query(
    `INSERT INTO documents (id, workspace_id, kind, number, issued_at, currency, total_minor, body, invoice_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      id,
      document.workspaceId,
      document.kind,
      documentNumber(series, rows[0]?.last ?? 0),
      document.issuedAt,
      document.currency,
      document.totalMinor.toString(),
      JSON.stringify(document.body),
      document.invoiceId,
    ],
  );
  return id;
}
