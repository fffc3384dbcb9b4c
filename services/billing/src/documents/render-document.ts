import { escapeHtml } from '@tidemark/html';
import { totalsOf } from '../money/tax.ts';
import { type Buyer, type IssuedDocument, type StoredLine, toTaxedLines } from './document.ts';
import type { Seller } from './seller.ts';

/** One page of A4 or more, in black on white. Rows are not split; the titles of columns are repeated on each page, the totals are printed once. */
const STYLE = `@page{size:A4;margin:18mm 16mm}
*{box-sizing:border-box}body{font:11pt/1.45 system-ui,"Noto Sans",sans-serif;color:#111;margin:0}
main{max-width:178mm;margin:12mm auto;padding:0 4mm}
header,.parties{display:flex;justify-content:space-between;gap:8mm}
h1{font-size:20pt;margin:0}h2{font-size:9pt;text-transform:uppercase;letter-spacing:.06em;color:#555;margin:0 0 1mm}
.parties{margin:8mm 0}.parties section{flex:1;overflow-wrap:anywhere}.lines{white-space:pre-line;unicode-bidi:plaintext;text-align:left}
dl{display:grid;grid-template-columns:auto auto;gap:0 4mm;margin:0;text-align:right}dt{color:#555}dd{margin:0}
table{width:100%;border-collapse:collapse;margin:4mm 0}th,td{padding:2mm 1mm;text-align:right;vertical-align:top;border-bottom:1px solid #ccc}
td{white-space:nowrap}th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}td:first-child{white-space:normal;unicode-bidi:plaintext}thead th{font-size:9pt;color:#555;border-bottom:1.5px solid #111}
tfoot td,tfoot th{border:0}tfoot tr:last-child td,tfoot tr:last-child th{border-top:1.5px solid #111;font-weight:600}
tr{break-inside:avoid}thead{display:table-header-group}tfoot{display:table-row-group}footer{margin-top:10mm;color:#444;font-size:9.5pt}
@media screen and (max-width:30rem){header,.parties{flex-direction:column;gap:6mm}dl{justify-content:start;text-align:left}}
@media print{main{margin:0;padding:0;max-width:none}}`;

/** Formats minor units with the digits of their currency (JPY 0, INR 2, KWD 3). */
export function formatMinor(minor: bigint | number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  const sign = minor < 0 ? '-' : '';
  const text = String(minor)
    .replace('-', '')
    .padStart(digits + 1, '0');
  const whole = digits === 0 ? text : text.slice(0, -digits);
  const fraction = digits === 0 ? '' : `.${text.slice(-digits)}`;
  return `${sign}${currency} ${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction}`;
}

const TITLES = { invoice: 'Invoice', credit_note: 'Credit note' } as const;

/** Renders a document as a page that prints on A4. Every text of a customer is escaped. */
export function renderDocument(document: IssuedDocument, nonce: string): string {
  const { kind, number, issuedAt, currency, body } = document;
  const hasTax = body.lines.some(({ tax }) => tax.length > 0);
  const title = kind === 'invoice' && hasTax ? 'Tax invoice' : TITLES[kind];
  const dates = [
    ['Number', number],
    ['Date', issuedAt.toISOString().slice(0, 10)],
    ...(body.invoiceNumber === '' ? [] : [['For invoice', body.invoiceNumber]]),
    ['Payment', body.paymentId],
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(`${title} ${number}`)}</title>
<style nonce="${nonce}">${STYLE}</style></head><body><main>
<header><div><h1>${title}</h1></div><dl>${dates.map(([name = '', value = '']) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl></header>
<div class="parties">${party('Seller', { ...body.seller, legalName: body.seller.name })}${party('Buyer', body.buyer)}</div>
${renderLines(body.lines, currency)}
<footer>${body.note === '' ? '' : `<p>${escapeHtml(body.note)}</p>`}<p>${kind === 'invoice' ? 'Paid.' : 'Refunded to the means of payment.'} Amounts in ${escapeHtml(currency)}.</p></footer>
</main></body></html>
`;
}

function party(
  role: string,
  {
    legalName,
    address,
    country,
    state,
    taxId,
    email,
  }: Buyer | (Pick<Seller, 'address' | 'country' | 'state' | 'taxId' | 'email'> & { readonly legalName: string }),
): string {
  const lines = [
    legalName,
    address,
    [state, country].filter(Boolean).join(', '),
    taxId === '' ? '' : `Tax number ${taxId}`,
    email,
  ];
  return `<section><h2>${role}</h2><div class="lines">${escapeHtml(lines.filter((line) => line !== '').join('\n'))}</div></section>`;
}

const percent = (rate: number): string => `${rate / 100} %`;

function renderLines(lines: readonly StoredLine[], currency: string): string {
  const money = (minor: bigint | number) => escapeHtml(formatMinor(minor, currency));
  const rows = lines.map(
    ({ text, quantity, netMinor, tax }) =>
      `<tr><td>${escapeHtml(text)}</td><td>${quantity}</td><td>${tax.map(({ name, rate }) => escapeHtml(`${name} ${percent(rate)}`)).join('<br>')}</td><td>${money(netMinor)}</td></tr>`,
  );
  const { netMinor, totalMinor } = totalsOf(toTaxedLines(lines));
  const byName = Map.groupBy(
    lines.flatMap(({ tax }) => tax),
    ({ name, rate }) => `${name} ${percent(rate)}`,
  );
  const taxes = [...byName].map(([name, parts]) => {
    const amount = parts.reduce((sum, part) => sum + part.amountMinor, 0);
    return `<tr><th colspan="3">${escapeHtml(name)}</th><td>${money(amount)}</td></tr>`;
  });
  return `<table><thead><tr><th>Description</th><th>Quantity</th><th>Tax</th><th>Net</th></tr></thead><tbody>${rows.join('')}</tbody>
<tfoot><tr><th colspan="3">Net total</th><td>${money(netMinor)}</td></tr>${taxes.join('')}<tr><th colspan="3">Total</th><td>${money(totalMinor)}</td></tr></tfoot></table>`;
}
