import { createHash } from 'node:crypto';
import { AppError } from '@tidemark/errors';
import type { GatewayEvent, ReceivedMessage } from '../port/gateway.ts';
import { isSignedBy } from '../port/signatures.ts';
import { Message } from './razorpay-forms.ts';

const refused = (why: string): AppError => new AppError('validation', why, { httpStatus: 400 });

/** Verifies the signature over the body as received, then reads the ids of the message. @throws AppError validation */
export function readRazorpayEvent({ body, headers }: ReceivedMessage, secrets: readonly string[]): GatewayEvent {
  const signature = headers['x-razorpay-signature'] ?? '';
  if (!isSignedBy(secrets, body, signature))
    throw refused(
      'x-razorpay-signature is not the signature of this body; expected HMAC-SHA256 with the secret of the webhook',
    );
  const { event, payload } = parseMessage(body);
  return {
    // The same on retries. A message without an id is identified by its content.
    id: headers['x-razorpay-event-id'] || createHash('sha256').update(body).digest('hex'),
    type: event,
    orderId: payload.order?.entity.id ?? payload.payment?.entity.order_id ?? '',
    subscriptionId: payload.subscription?.entity.id ?? '',
    paymentId: payload.payment?.entity.id ?? '',
  };
}

function parseMessage(body: Uint8Array): Message {
  try {
    return Message.parse(JSON.parse(Buffer.from(body).toString('utf8')));
  } catch (error) {
    throw new AppError('validation', 'the body is not a message of Razorpay', { httpStatus: 400, cause: error });
  }
}
