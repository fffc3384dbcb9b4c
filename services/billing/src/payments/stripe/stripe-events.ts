import { AppError } from '@tidemark/errors';
import type { GatewayEvent, ReceivedMessage } from '../port/gateway.ts';
import { isSignedBy } from '../port/signatures.ts';
import { StripeMessage } from './stripe-forms.ts';

/** Oldest signature that is accepted, seconds: the tolerance of Stripe's own libraries. */
const TOLERANCE_SECONDS = 300;

const refused = (why: string, cause?: unknown): AppError => new AppError('validation', why, { httpStatus: 400, cause });

/** Verifies `Stripe-Signature` over the time and the body as received, then reads the ids of the message. @throws AppError validation */
export function readStripeEvent(
  { body, headers }: ReceivedMessage,
  { secrets, now }: { readonly secrets: readonly string[]; readonly now: Date },
): GatewayEvent {
  const parts = (headers['stripe-signature'] ?? '').split(',').map((part) => part.trim().split('=', 2));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  const signed = Buffer.concat([Buffer.from(`${time}.`), body]);
  const isSigned = parts.some(([name, value]) => name === 'v1' && isSignedBy(secrets, signed, value ?? ''));
  if (!isSigned)
    throw refused('stripe-signature is not the signature of this body; expected v1 with the secret of the webhook');
  if (Math.abs(now.getTime() / 1_000 - Number(time)) > TOLERANCE_SECONDS)
    throw refused(`stripe-signature is older than ${TOLERANCE_SECONDS} s; check the clock of this host`);
  const { id, type, data } = parseMessage(body);
  const { object } = data;
  const idIf = (kind: string): string => (object.object === kind ? object.id : '');
  return {
    id,
    type,
    orderId: idIf('checkout.session'),
    subscriptionId: idIf('subscription') || (object.subscription ?? ''),
    paymentId: idIf('payment_intent') || (object.payment_intent ?? ''),
  };
}

function parseMessage(body: Uint8Array): StripeMessage {
  try {
    return StripeMessage.parse(JSON.parse(Buffer.from(body).toString('utf8')));
  } catch (error) {
    throw refused('the body is not a message of Stripe', error);
  }
}
