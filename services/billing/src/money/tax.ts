import { divideHalfUp } from './half-up.ts';

/** The tax that a seller charges. Rates are in hundredths of a per cent: 1800 is 18 %. */
export type TaxRule =
  | { readonly kind: 'none' }
  /** Indian goods and services tax: two halves within a state, one tax between states, none for exports. */
  | { readonly kind: 'gst'; readonly rate: number }
  /** Value added tax; a business in another country accounts for it itself (reverse charge). */
  | { readonly kind: 'vat'; readonly rate: number };

/** Country (ISO 3166-1 alpha-2) and state of a party, with its tax number if it has one. */
export interface TaxPlace {
  readonly country: string;
  readonly state: string;
  readonly taxId: string;
}

export interface TaxPart {
  /** CGST, SGST, IGST or VAT. */
  readonly name: string;
  readonly rate: number;
  readonly amountMinor: bigint;
}

export interface NetLine {
  readonly text: string;
  readonly quantity: number;
  /** Negative for a credit. */
  readonly netMinor: bigint;
}

export interface TaxedLine extends NetLine {
  readonly tax: readonly TaxPart[];
}

export interface TaxedLines {
  readonly lines: readonly TaxedLine[];
  readonly netMinor: bigint;
  readonly taxMinor: bigint;
  readonly totalMinor: bigint;
  /** Text that the law requires where no tax is charged; empty: none. */
  readonly note: string;
}

const PER_CENT = 10_000n;
const EXPORT_NOTE = 'Export of services under a letter of undertaking without payment of integrated tax.';
const REVERSE_CHARGE_NOTE = 'Reverse charge: the recipient accounts for value added tax.';

/** The parts of a tax that apply between two places. */
function partsBetween(
  rule: TaxRule,
  seller: TaxPlace,
  buyer: TaxPlace,
): { parts: { name: string; rate: number }[]; note: string } {
  const isAbroad = buyer.country !== seller.country;
  if (rule.kind === 'none') return { parts: [], note: '' };
  if (rule.kind === 'gst') {
    if (isAbroad) return { parts: [], note: EXPORT_NOTE };
    if (buyer.state !== seller.state) return { parts: [{ name: 'IGST', rate: rule.rate }], note: '' };
    const half = rule.rate / 2;
    return {
      parts: [
        { name: 'CGST', rate: half },
        { name: 'SGST', rate: half },
      ],
      note: '',
    };
  }
  if (isAbroad && buyer.taxId !== '') return { parts: [], note: REVERSE_CHARGE_NOTE };
  return { parts: [{ name: 'VAT', rate: rule.rate }], note: '' };
}

/** Adds the tax of each line, rounded per line; totals are sums of lines. */
export function taxLines(
  lines: readonly NetLine[],
  { rule, seller, buyer }: { readonly rule: TaxRule; readonly seller: TaxPlace; readonly buyer: TaxPlace },
): TaxedLines {
  const { parts, note } = partsBetween(rule, seller, buyer);
  const taxed = lines.map((line) => ({
    ...line,
    tax: parts.map(({ name, rate }) => ({
      name,
      rate,
      amountMinor: divideHalfUp(line.netMinor * BigInt(Math.round(rate)), PER_CENT),
    })),
  }));
  return { ...totalsOf(taxed), lines: taxed, note };
}

/** Sums lines and their taxes. */
export function totalsOf(lines: readonly TaxedLine[]): { netMinor: bigint; taxMinor: bigint; totalMinor: bigint } {
  const netMinor = sum(lines.map((line) => line.netMinor));
  const taxMinor = sum(lines.flatMap((line) => line.tax.map((part) => part.amountMinor)));
  return { netMinor, taxMinor, totalMinor: netMinor + taxMinor };
}

export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
