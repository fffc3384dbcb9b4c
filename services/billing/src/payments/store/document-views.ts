import { textOrEmpty } from '@tidemark/contracts';
import { anyOf, selectRow, selectRows } from '@tidemark/sql';
import type pg from 'pg';
import type { IssuedDocument } from '../../documents/document.ts';
import { tables } from '../../store/tables.ts';

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
  readonly cursor: string | undefined;
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
    const rows = await selectRows(
      this.#pool,
      tables
        .selectFrom('documents')
        .select(['id', 'number', 'issued_at as issuedAt', 'currency', 'total_minor as totalMinor'])
        .where('workspace_id', '=', workspaceId)
        .where('kind', '=', 'invoice')
        .$if(cursor !== undefined, (invoices) => invoices.where('id', '<', textOrEmpty(cursor)))
        .orderBy('id', 'desc')
        .limit(limit + 1),
    );
    const notes = await selectRows(
      this.#pool,
      tables
        .selectFrom('documents')
        .select(['id', 'number', 'issued_at as issuedAt', 'total_minor as totalMinor', 'invoice_id as invoiceId'])
        .where('invoice_id', '=', anyOf(rows.map(({ id }) => id)))
        .orderBy('id'),
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
    const rows = await selectRows(
      this.#pool,
      tables
        .selectFrom('payments')
        .select([
          'id as gatewayPaymentId',
          'paid_at as paidAt',
          'amount_minor as amountMinor',
          'refunded_minor as refundedMinor',
          'currency',
          'method',
          'invoice_id as invoiceId',
        ])
        .where('workspace_id', '=', workspaceId)
        .$if(cursor !== undefined, (payments) => payments.where('invoice_id', '<', textOrEmpty(cursor)))
        .orderBy('invoice_id', 'desc')
        .limit(limit + 1),
    );
    return rows.map((row) => ({
      ...row,
      amountMinor: Number(row.amountMinor),
      refundedMinor: Number(row.refundedMinor),
    }));
  }

  async find(workspaceId: string, id: string): Promise<IssuedDocument | undefined> {
    const row = await selectRow(
      this.#pool,
      tables
        .selectFrom('documents')
        .select(['id', 'kind', 'number', 'issued_at as issuedAt', 'currency', 'total_minor as totalMinor', 'body'])
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id),
    );
    return row && { ...row, totalMinor: Number(row.totalMinor) };
  }
}
