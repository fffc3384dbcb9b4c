import type pg from 'pg';
import type { DocumentBody, IssuedDocument } from '../../documents/document.ts';

export interface InvoiceRow {
  readonly id: string;
  readonly number: string;
  readonly issuedAt: Date;
  readonly currency: string;
  readonly totalMinor: number;
  readonly creditNotes: readonly {
    readonly id: string;
    readonly number: string;
    readonly issuedAt: Date;
    readonly totalMinor: number;
  }[];
}

export interface ReceiptRow {
  readonly gatewayPaymentId: string;
  readonly paidAt: Date;
  readonly amountMinor: number;
  readonly refundedMinor: number;
  readonly currency: string;
  readonly method: string;
  readonly invoiceId: string;
}

/** A page of a list, newest first; `limit` is at least 1. */
export interface PageRequest {
  readonly workspaceId: string;
  /** Id of the last invoice of the previous page; empty: the first page. */
  readonly cursor: string;
  readonly limit: number;
}

/** Reads the documents and payments of workspaces. */
export class DocumentViews {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns a page of invoices with their credit notes, and one row more if there is a next page. */
  async invoices({ workspaceId, cursor, limit }: PageRequest): Promise<InvoiceRow[]> {
    const { rows } = await this.#pool.query<Omit<InvoiceRow, 'creditNotes' | 'totalMinor'> & { totalMinor: string }>(
      `SELECT id, number, issued_at AS "issuedAt", currency, total_minor AS "totalMinor" FROM documents
       WHERE workspace_id = $1 AND kind = 'invoice' AND ($2 = '' OR id < $2) ORDER BY id DESC LIMIT $3`,
      [workspaceId, cursor, limit + 1],
    );
    const { rows: notes } = await this.#pool.query<{
      id: string;
      number: string;
      issuedAt: Date;
      totalMinor: string;
      invoiceId: string;
    }>(
      `SELECT id, number, issued_at AS "issuedAt", total_minor AS "totalMinor", invoice_id AS "invoiceId" FROM documents
       WHERE invoice_id = ANY($1) ORDER BY id`,
      [rows.map(({ id }) => id)],
    );
    const byInvoice = Map.groupBy(notes, ({ invoiceId }) => invoiceId);
    return rows.map((row) => ({
      ...row,
      totalMinor: Number(row.totalMinor),
      creditNotes: (byInvoice.get(row.id) ?? []).map(({ id, number, issuedAt, totalMinor }) => ({
        id,
        number,
        issuedAt,
        totalMinor: Number(totalMinor),
      })),
    }));
  }

  /** Returns a page of payments, and one row more if there is a next page. */
  async receipts({ workspaceId, cursor, limit }: PageRequest): Promise<ReceiptRow[]> {
    const { rows } = await this.#pool.query<ReceiptRow & { amountMinor: string; refundedMinor: string }>(
      `SELECT id AS "gatewayPaymentId", paid_at AS "paidAt", amount_minor AS "amountMinor", refunded_minor AS "refundedMinor", currency, method,
         invoice_id AS "invoiceId" FROM payments WHERE workspace_id = $1 AND ($2 = '' OR invoice_id < $2) ORDER BY invoice_id DESC LIMIT $3`,
      [workspaceId, cursor, limit + 1],
    );
    return rows.map((row) => ({
      ...row,
      amountMinor: Number(row.amountMinor),
      refundedMinor: Number(row.refundedMinor),
    }));
  }

  async find(workspaceId: string, id: string): Promise<IssuedDocument | undefined> {
    const { rows } = await this.#pool.query<
      Omit<IssuedDocument, 'totalMinor'> & { totalMinor: string; body: DocumentBody }
    >(
      `SELECT id, kind, number, issued_at AS "issuedAt", currency, total_minor AS "totalMinor", body FROM documents
       WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, id],
    );
    return rows[0] === undefined ? undefined : { ...rows[0], totalMinor: Number(rows[0].totalMinor) };
  }
}
