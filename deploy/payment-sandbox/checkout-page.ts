import { escapeHtml } from '@tidemark/html';

/** Only the style of the page itself; the form returns to this origin or to the page that opened checkout. */
export const CHECKOUT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action *; frame-ancestors 'none'; base-uri 'none'";

const STYLE = `:root{color-scheme:light dark;--page:light-dark(#f3f4f6,#111827);--card:light-dark(#fff,#1f2937);--ink:light-dark(#111,#f3f4f6);
--muted:light-dark(#444,#d1d5db);--act:light-dark(#1d4ed8,#93c5fd);--on-act:light-dark(#fff,#111827)}
*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;margin:0;padding:0 1rem;background:var(--page);color:var(--ink)}
main{max-width:30rem;margin:8vh auto;background:var(--card);padding:2rem;border-radius:.75rem;box-shadow:0 1px 4px #0003}
h1{font-size:1.25rem;margin:0 0 .25rem}p{margin:.25rem 0 1rem;color:var(--muted)}.sum{font-size:2rem;font-weight:600;color:var(--ink)}
label{display:block;margin:.5rem 0}.buttons{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.5rem 0 0}
button{font:inherit;padding:.6rem 1.2rem;border-radius:.4rem;border:1px solid var(--act);background:var(--act);color:var(--on-act)}
button.plain{background:none;color:var(--act)}dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;overflow-wrap:anywhere}dt{color:var(--muted)}dd{margin:0}`;

export interface Checkout {
  readonly kind: 'order' | 'subscription';
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly title: string;
  /** Puts in a new card for a subscription; nothing is charged. */
  readonly changesCard?: boolean;
  /** Page that gets the result; empty: it is shown here. */
  readonly returnUrl: string;
}

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main>${content}</main></body></html>`;

/** Formats minor units with the digits of the currency. */
export function formatAmount(minor: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

const field = (name: string, value: string): string =>
  `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;

/** Renders the page on which a person pays, or lets the payment fail. */
export function renderCheckout({
  kind,
  id,
  amount,
  currency,
  title,
  returnUrl,
  changesCard = false,
}: Checkout): string {
  const methods = [
    ['card', 'Card 4242 4242 4242 4242'],
    ['upi', 'UPI success@sandbox'],
  ].map(
    ([method = '', label = ''], i) =>
      `<label><input type="radio" name="method" value="${method}"${i === 0 ? ' checked' : ''}> ${label}</label>`,
  );
  return page(
    'Sandbox checkout',
    `<h1>${escapeHtml(title)}</h1><p>Sandbox: no money is moved.</p><p class="sum">${escapeHtml(formatAmount(amount, currency))}</p>
<form method="post" action="/checkout">${field(`${kind}_id`, id)}${field('return_url', returnUrl)}${changesCard ? field('subscription_card_change', '1') : ''}${methods.join('')}
<p class="buttons"><button name="outcome" value="paid">Pay</button> <button class="plain" name="outcome" value="failed">Let the payment fail</button></p></form>`,
  );
}

/** Renders the result of a payment, as checkout returns it to the page that opened it. */
export function renderResult(result: Readonly<Record<string, string>>): string {
  const rows = Object.entries(result).map(
    ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd id="${escapeHtml(name)}">${escapeHtml(value)}</dd>`,
  );
  return page(
    'Sandbox checkout',
    `<h1>Payment</h1><p>Send these values to POST /v1/me/billing/confirm.</p><dl>${rows.join('')}</dl>`,
  );
}
