import type { TaxedLine } from '../money/tax.ts';
import type { Seller } from './seller.ts';

/** Name, address and tax number of a buyer. */
export interface Buyer {
  readonly legalName: string;
  readonly address: string;
  readonly country: string;
  readonly state: string;
  readonly taxId: string;
  readonly email: string;
}

/** A line as stored: amounts are integers of minor units. */
export interface StoredLine {
  readonly text: string;
  readonly quantity: number;
  readonly netMinor: number;
  readonly tax: readonly { readonly name: string; readonly rate: number; readonly amountMinor: number }[];
}

/** The content of an invoice or credit note. It copies everything that it shows and never changes. */
export interface DocumentBody {
  readonly seller: Pick<Seller, 'name' | 'address' | 'country' | 'state' | 'taxId' | 'email'>;
  readonly buyer: Buyer;
  readonly lines: readonly StoredLine[];
  /** Required by law where no tax is charged; empty: none. */
  readonly note: string;
  readonly paymentId: string;
  /** Of a credit note; empty: an invoice. */
  readonly invoiceNumber: string;
}

export interface IssuedDocument {
  readonly id: string;
  readonly kind: 'invoice' | 'credit_note';
  readonly number: string;
  readonly issuedAt: Date;
  readonly currency: string;
  readonly totalMinor: number;
  readonly body: DocumentBody;
}

export const toStoredLines = (lines: readonly TaxedLine[]): StoredLine[] =>
  lines.map(({ text, quantity, netMinor, tax }) => ({
    text,
    quantity,
    netMinor: Number(netMinor),
    tax: tax.map(({ name, rate, amountMinor }) => ({ name, rate, amountMinor: Number(amountMinor) })),
  }));

export const toTaxedLines = (lines: readonly StoredLine[]): TaxedLine[] =>
  lines.map(({ text, quantity, netMinor, tax }) => ({
    text,
    quantity,
    netMinor: BigInt(netMinor),
    tax: tax.map(({ name, rate, amountMinor }) => ({ name, rate, amountMinor: BigInt(amountMinor) })),
  }));
