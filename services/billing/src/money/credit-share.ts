import { divideHalfUp } from './half-up.ts';
import { type TaxedLine, totalsOf } from './tax.ts';

/** What a refund may still take from an invoice: its lines less those of the credit notes before. */
export interface Creditable {
  readonly invoice: readonly TaxedLine[];
  /** Lines of earlier credit notes, one list for each; amounts are positive. */
  readonly credited: readonly (readonly TaxedLine[])[];
}

/**
 * Returns the lines of a credit note over `totalMinor`: of each amount of the invoice its share. A note that takes all that is left copies the
 * exact rest, so that the notes of an invoice never exceed it. The rounding difference of a part is in the net amount of the first line.
 * @throws RangeError if the note exceeds what is left
 */
export function creditShare({ invoice, credited }: Creditable, totalMinor: bigint): TaxedLine[] {
  const rest = invoice.map((line, i) =>
    subtract(
      line,
      credited.map((note) => note[i]).filter((part) => part !== undefined),
    ),
  );
  const left = totalsOf(rest).totalMinor;
  if (totalMinor <= 0n || totalMinor > left)
    throw new RangeError(`a credit note of ${totalMinor} exceeds the rest of ${left}`);
  if (totalMinor === left) return rest;
  const share = (amount: bigint) => divideHalfUp(amount * totalMinor, left);
  const lines = rest.map((line) => ({
    ...line,
    netMinor: share(line.netMinor),
    tax: line.tax.map((part) => ({ ...part, amountMinor: share(part.amountMinor) })),
  }));
  const difference = totalMinor - totalsOf(lines).totalMinor;
  return lines.map((line, i) => (i === 0 ? { ...line, netMinor: line.netMinor + difference } : line));
}

function subtract(line: TaxedLine, credited: readonly TaxedLine[]): TaxedLine {
  return {
    ...line,
    netMinor: credited.reduce((net, note) => net - note.netMinor, line.netMinor),
    tax: line.tax.map((part, i) => ({
      ...part,
      amountMinor: credited.reduce((amount, note) => amount - (note.tax[i]?.amountMinor ?? 0n), part.amountMinor),
    })),
  };
}
