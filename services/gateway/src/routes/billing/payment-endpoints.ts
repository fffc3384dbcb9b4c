import { routes } from '@tidemark/api';
import type { Catalogue } from '@tidemark/catalogue';
import { type Checkout, PaymentServiceService as Rpc } from '@tidemark/contracts/billing/v1/payments';
import type { Peer } from '@tidemark/service';
import type { EndpointResponse } from '../../http/endpoint.ts';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { makeBillingView } from './billing-view.ts';
import { toCheckout, toDetails, toLine } from './payment-response.ts';

interface Around {
  readonly baseUrl: string;
  readonly requestId: string;
}

interface Deps {
  readonly billing: Peer;
  readonly catalogue: Catalogue;
}

/** A sale calls the payment gateway several times; each of these calls ends after 10 s. */
const SALE = { deadlineMs: 45_000 } as const;

/** Endpoints that sell plans and credits. */
export function paymentEndpoints({ billing, catalogue }: Deps): Endpoint[] {
  const view = makeBillingView({ billing, catalogue });
  /** The state after checkout is at the address of `location`. */
  const checkoutOf = (
    checkout: Checkout | undefined,
    { baseUrl, requestId }: Around,
  ): EndpointResponse<typeof routes.subscribe> => ({
    status: 201,
    headers: { location: `${baseUrl}/me/billing` },
    body: { ...toCheckout(checkout), creditsUsed: 0, request_id: requestId },
  });
  return [
    endpoint(routes.subscribe, async ({ body, baseUrl, call, requestId }) => {
      const { billing_details: details, ...request } = body;
      const { checkout } = await billing.call(Rpc.subscribe, { ...request, details: toDetails(details) }, call, SALE);
      return checkoutOf(checkout, { baseUrl, requestId });
    }),

    endpoint(routes.confirmPayment, async ({ body, baseUrl, call, requestId }) => {
      const { id, payment_id: paymentId, signature } = body;
      const { isComplete } = await billing.call(Rpc.confirm, { id, paymentId, signature }, call, SALE);
      if (!isComplete) {
        const headers = { location: `${baseUrl}/me/billing` };
        return { status: 202, headers, body: { state: 'pending' as const, creditsUsed: 0, request_id: requestId } };
      }
      return { status: 200, body: await view(call, requestId) };
    }),

    endpoint(routes.changePlan, async ({ body, baseUrl, call, requestId }) => {
      const { previewed_at: shownAt, ...change } = body;
      const request = { ...change, previewedAt: shownAt === undefined ? undefined : new Date(shownAt) };
      const { preview, checkout } = await billing.call(Rpc.changeSubscription, request, call, SALE);
      if (checkout !== undefined) return checkoutOf(checkout, { baseUrl, requestId });
      if (preview === undefined) return { status: 200, body: await view(call, requestId) };
      const { lines, at, ...amounts } = preview;
      const shown = { ...amounts, lines: lines.map(toLine), at: timeOf(at) };
      return { status: 200, body: { ...shown, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.keepPlan, async ({ call, requestId }) => {
      await billing.call(Rpc.keepSubscription, {}, call, SALE);
      return { status: 200, body: await view(call, requestId) };
    }),

    endpoint(routes.cancelPlan, async ({ call, requestId }) => {
      await billing.call(Rpc.cancelSubscription, {}, call, SALE);
      return { status: 200, body: await view(call, requestId) };
    }),

    endpoint(routes.changeCard, async ({ baseUrl, call, requestId }) => {
      const { checkout } = await billing.call(Rpc.changeCard, {}, call, SALE);
      return checkoutOf(checkout, { baseUrl, requestId });
    }),

    endpoint(routes.buyCredits, async ({ body, baseUrl, call, requestId }, { repetition }) => {
      const { idempotencyKey, bodyHash } = repetition;
      const { billing_details: details, ...order } = body;
      const request = { ...order, details: toDetails(details), idempotencyKey, requestHash: bodyHash };
      const { checkout, replayed } = await billing.call(Rpc.buyCredits, request, call, SALE);
      const response = checkoutOf(checkout, { baseUrl, requestId });
      const headers = { ...response.headers, ...(replayed ? { 'idempotent-replayed': 'true' } : {}) };
      return { ...response, headers };
    }),
  ];
}
