import type { OpenCheckout } from '../../api/checkout.ts';
import type { Returned } from './returned.ts';

const SCRIPT = 'https://checkout.razorpay.com/v1/checkout.js';
/** A blocker or a dead connection may never end the load of the script. */
const LOAD_MS = 20_000;

interface Options {
  readonly key: string;
  readonly amount: number;
  readonly currency: string;
  readonly name: string;
  readonly order_id?: string;
  readonly subscription_id?: string;
  readonly handler: (result: { razorpay_payment_id: string; razorpay_signature: string }) => void;
  readonly modal: { readonly ondismiss: () => void };
}

declare global {
  interface Window {
    /** Set by the script of Razorpay. */
    Razorpay?: new (
      options: Options & Readonly<Record<string, unknown>>,
    ) => { open(): void };
  }
}

/** Loads the script of Razorpay. @throws Error if it is blocked or does not arrive in time */
function loadScript(): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    const timer = setTimeout(() => reject(new Error('timeout')), LOAD_MS);
    script.addEventListener('load', () => {
      clearTimeout(timer);
      resolve();
    });
    script.addEventListener('error', () => {
      clearTimeout(timer);
      reject(new Error('blocked'));
    });
    script.src = SCRIPT;
    document.head.append(script);
  });
}

/** Opens the payment window of Razorpay over this page. @returns what the person did. @throws Error if its script can not be loaded */
export async function payWithRazorpay(checkout: OpenCheckout, name: string): Promise<Returned> {
  if (window.Razorpay === undefined) await loadScript();
  const Window = window.Razorpay;
  if (Window === undefined) throw new Error('blocked');
  const { keyId, amountMinor, currency, orderId, subscriptionId, options } = checkout;
  return new Promise((resolve) => {
    new Window({
      ...options,

      key: keyId,
      amount: amountMinor,
      currency,
      name,
      ...(orderId === null ? {} : { order_id: orderId }),
      ...(subscriptionId === null ? {} : { subscription_id: subscriptionId }),
      handler: ({ razorpay_payment_id: paymentId, razorpay_signature: signature }) =>
        resolve({ kind: 'paid', paymentId, signature }),
      modal: { ondismiss: () => resolve({ kind: 'nothing' }) },
    }).open();
  });
}
