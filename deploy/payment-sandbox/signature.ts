import { createHmac } from 'node:crypto';

/** Returns the signature of a text as Razorpay makes it: HMAC-SHA256 in hexadecimal digits. */
export const signatureOf = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('hex');
