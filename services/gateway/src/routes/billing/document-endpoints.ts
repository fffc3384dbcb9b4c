import { INVOICE_STATES, routes } from '@tidemark/api';
import { type CreditNote, type Invoice, PaymentServiceService as Rpc } from '@tidemark/contracts/billing/v1/payments';
import { BrowserPoolServiceService as Browsers } from '@tidemark/contracts/browser/v1/browser';
import type { CallContext, Peer } from '@tidemark/service';
import type { EndpointResponse } from '../../http/endpoint.ts';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { checkedId } from '../../requests/checked-id.ts';
import { oneOf } from '../../responses/one-of.ts';

/** Longer than browser-pool tries, ms. */
const PRINT_MS = 20_000;

type DocumentResponse = EndpointResponse<typeof routes.getInvoice>;

/** Endpoints of invoices, receipts and credit notes. */
export function documentEndpoints({ billing, browserPool }: Record<'billing' | 'browserPool', Peer>): Endpoint[] {
  /** Returns a document as a page; it loads nothing, runs nothing and is shown in no frame. */
  const page = async (id: string, format: 'html' | 'pdf', call: CallContext): Promise<DocumentResponse> => {
    const { html, nonce, number } = await billing.call(Rpc.renderDocument, { id }, call);
    if (format === 'pdf') {
      const { pdf } = await browserPool.call(Browsers.print, { html }, call, { deadlineMs: PRINT_MS });
      const name = `${number.replaceAll('/', '-')}.pdf`;
      const shown = { 'content-type': 'application/pdf', 'content-disposition': `inline; filename="${name}"` };
      return { status: 200, bytes: pdf, headers: shown };
    }
    const policy = `default-src 'none'; style-src 'nonce-${nonce}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy };
    return { status: 200, bytes: Buffer.from(html), headers };
  };
  return [
    endpoint(routes.listInvoices, async ({ query, baseUrl, call, requestId, cursors }) => {
      const cursor = cursors.openId('inv', query.cursor);
      const { invoices, nextCursor } = await billing.call(Rpc.listInvoices, { cursor, limit: query.limit }, call);
      const nextPage = cursors.nextPage(`${baseUrl}/me/billing/invoices?limit=${query.limit}`, nextCursor);
      const data = invoices.map((invoice) => toInvoice(invoice, baseUrl));
      return { status: 200, body: { data, ...nextPage, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.getInvoice, ({ params, query, call }) =>
      page(checkedId('inv', params.invoice_id, 'invoice'), query.format, call),
    ),

    endpoint(routes.getCreditNote, ({ params, query, call }) =>
      page(checkedId('crn', params.note_id, 'credit note'), query.format, call),
    ),

    endpoint(routes.listReceipts, async ({ query, baseUrl, call, requestId, cursors }) => {
      const cursor = cursors.openId('inv', query.cursor);
      const { receipts, nextCursor } = await billing.call(Rpc.listReceipts, { cursor, limit: query.limit }, call);
      const nextPage = cursors.nextPage(`${baseUrl}/me/billing/receipts?limit=${query.limit}`, nextCursor);
      const data = receipts.map(({ paidAt, ...receipt }) => ({ ...receipt, paidAt: timeOf(paidAt) }));
      return { status: 200, body: { data, ...nextPage, creditsUsed: 0, request_id: requestId } };
    }),
  ];
}

const timeOf = (date: Date | undefined): string => (date ?? new Date(0)).toISOString();

function toInvoice({ creditNotes, issuedAt, state, ...invoice }: Invoice, baseUrl: string) {
  return {
    ...invoice,
    kind: 'invoice' as const,
    state: oneOf(INVOICE_STATES, state),
    issuedAt: timeOf(issuedAt),
    url: `${baseUrl}/me/billing/invoices/${invoice.id}`,
    creditNotes: creditNotes.map((note) => toCreditNote(note, baseUrl)),
  };
}

const toCreditNote = ({ issuedAt, ...note }: CreditNote, baseUrl: string) => ({
  ...note,
  issuedAt: timeOf(issuedAt),
  url: `${baseUrl}/me/billing/credit-notes/${note.id}`,
});
