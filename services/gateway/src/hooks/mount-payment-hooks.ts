import { PaymentServiceService as Rpc } from '@tidemark/contracts/billing/v1/payments';
import type { Peer } from '@tidemark/service';
import express, { type Express } from 'express';
import { requestIdOf } from '../middleware/request-id.ts';

const BODY_LIMIT = '256kb';
/** Headers that a message may be signed with; the others are not sent on. */
const SIGNED_HEADERS = ['x-razorpay-signature', 'x-razorpay-event-id', 'stripe-signature'];

/**
 * Mounts the receiver of messages of payment gateways, outside of /v1. The body is sent on as received, because its signature covers the bytes.
 * 200 means that the message is stored; a gateway repeats it otherwise.
 */
export function mountPaymentHooks(app: Express, billing: Peer): void {
  const raw = express.raw({ limit: BODY_LIMIT, type: () => true, inflate: false });
  app.post('/hooks/payments/:gateway', raw, async (request, response) => {
    const body: unknown = request.body;
    const headers = Object.fromEntries(SIGNED_HEADERS.map((name) => [name, request.get(name) ?? '']));
    const message = {
      gateway: String(request.params['gateway']),
      body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      headers,
    };
    await billing.call(Rpc.receiveMessage, message, { requestId: requestIdOf(response) });
    response.type('text').send('ok\n');
  });
}
