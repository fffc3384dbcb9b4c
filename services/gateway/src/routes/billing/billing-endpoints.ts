import { routes } from '@tidemark/api';
import type { Catalogue } from '@tidemark/catalogue';
import { BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { makeBillingView } from './billing-view.ts';
import { requireSubjects } from './require-subjects.ts';

/** Endpoints of the workspace's plan and credits. */
export function billingEndpoints({
  billing,
  identity,
  projects,
  catalogue,
}: {
  readonly billing: Peer;
  readonly identity: Peer;
  readonly projects: Peer;
  readonly catalogue: Catalogue;
}): Endpoint[] {
  const view = makeBillingView({ billing, catalogue });
  return [
    endpoint(routes.getBilling, async ({ call, requestId }) => ({ status: 200, body: await view(call, requestId) })),

    endpoint(routes.patchCap, async ({ body, call, requestId }) => {
      const { cap, limits = [] } = body;
      await requireSubjects({ identity, projects }, limits, call);
      if (cap !== undefined) await billing.call(Rpc.setOverageCap, { cap }, call);
      if (limits.length > 0) {
        const changes = limits.map(({ id: subjectId, credits }) => ({ subjectId, credits: credits ?? undefined }));
        await billing.call(Rpc.setSpendLimits, { limits: changes }, call);
      }
      return { status: 200, body: await view(call, requestId) };
    }),
  ];
}
