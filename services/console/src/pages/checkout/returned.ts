/** What the payment page of a gateway returned. */
export type Returned =
  | { readonly kind: 'paid'; readonly paymentId: string; readonly signature: string }
  | { readonly kind: 'failed' }
  | { readonly kind: 'nothing' };

/** Reads the fragment of the URL that the payment page returned to. */
export function readReturned(hash: string): Returned {
  const values = new URLSearchParams(hash.replace(/^#/, ''));
  const [paymentId, signature] = [values.get('razorpay_payment_id'), values.get('razorpay_signature')];
  if (paymentId && signature) return { kind: 'paid', paymentId, signature };
  return values.has('error') ? { kind: 'failed' } : { kind: 'nothing' };
}
