import type { Checkout } from '@tidemark/sdk';

/** What the page of the payment needs; it is another document, because its content security policy lets the script of the gateway run. */
export type OpenCheckout = Pick<
  Checkout,
  'id' | 'gateway' | 'keyId' | 'subscriptionId' | 'orderId' | 'url' | 'options' | 'amountMinor' | 'currency'
>;

const PAGE = '/billing/checkout';
const STORED = 'tidemark-checkout';

/**
 * Opens the page that completes a checkout: the one of the gateway, or the page of this console that runs the script of the gateway.
 * The checkout is kept by this tab only: a URL could be a link of an attacker.
 */
export function openCheckout(checkout: OpenCheckout): void {
  const { id, gateway, keyId, subscriptionId, orderId, url, options, amountMinor, currency } = checkout;
  const kept: OpenCheckout = { id, gateway, keyId, subscriptionId, orderId, url, options, amountMinor, currency };
  sessionStorage.setItem(STORED, JSON.stringify(kept));
  location.assign(url === null ? PAGE : returningTo(url, checkout));
}

/** The page of Stripe has its return address already. */
function returningTo(url: string, { gateway, options }: OpenCheckout): string {
  if (gateway === 'stripe') return url;
  const page = new URL(url);
  for (const [name, value] of Object.entries(options)) page.searchParams.set(name, value);
  page.searchParams.set('return_url', `${location.origin}${PAGE}`);
  return page.href;
}

/** Returns the checkout that this tab opened last. */
export function keptCheckout(): OpenCheckout | undefined {
  const text = sessionStorage.getItem(STORED);
  return text === null ? undefined : JSON.parse(text);
}

export const removeCheckout = (): void => sessionStorage.removeItem(STORED);
