export type InvoiceState = 'paid' | 'partly_refunded' | 'refunded';

/** Returns the state of an invoice from its total and the sum of its credit notes, which only grows. */
export function invoiceState(totalMinor: bigint, creditedMinor: bigint): InvoiceState {
  if (creditedMinor <= 0n) return 'paid';
  return creditedMinor < totalMinor ? 'partly_refunded' : 'refunded';
}
