import { describe, expect, it } from '@jest/globals';
import { readReturned } from './returned.ts';

describe('the result of a payment page', () => {
  it('is paid with an id and a signature, failed with an error, and nothing otherwise', () => {
    const paid = '#razorpay_payment_id=pay_1&razorpay_order_id=order_1&razorpay_signature=ab12';
    expect(readReturned(paid)).toEqual({ kind: 'paid', paymentId: 'pay_1', signature: 'ab12' });
    expect(readReturned('#error=the+payment+failed')).toEqual({ kind: 'failed' });
    expect(readReturned('#razorpay_payment_id=pay_1')).toEqual({ kind: 'nothing' });
    expect(readReturned('')).toEqual({ kind: 'nothing' });
  });
});
