import { events } from '@tidemark/contracts';
import { BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import type { CreditSpent } from '@tidemark/contracts/billing/v1/events';
import { AppError } from '@tidemark/errors';
import { Bus, defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '../start-service.ts';
import { withUnimplemented } from './with-unimplemented.ts';

/** Billing in memory. It passes the same contract as the real service. */
export interface FakeBilling extends RunningService {
  /** Open leases by capture. */
  readonly leases: ReadonlyMap<string, { readonly workspaceId: string; readonly credits: number }>;
  /** Charges received, one for each capture. */
  readonly spent: ReadonlyMap<string, CreditSpent>;
  /** Sets the credits of a workspace. */
  setBalance(workspaceId: string, credits: number): void;
  /** While true, calls fail with `unavailable`. */
  isUnavailable: boolean;
}

export async function startFakeBilling(natsUrl: string, welcomeCredits = 1_000): Promise<FakeBilling> {
  const balances = new Map<string, number>();
  const leases = new Map<string, { workspaceId: string; credits: number }>();
  const spent = new Map<string, CreditSpent>();
  const controls = { isUnavailable: false };

  const reserved = (workspaceId: string): number =>
    [...leases.values()].reduce((sum, lease) => sum + (lease.workspaceId === workspaceId ? lease.credits : 0), 0);
  const balance = (workspaceId: string): number => balances.get(workspaceId) ?? welcomeCredits;
  const settle = (charge: CreditSpent): void => {
    if (spent.has(charge.ref)) return;
    spent.set(charge.ref, charge);
    balances.set(charge.workspaceId, balance(charge.workspaceId) - charge.credits);
    leases.delete(charge.ref);
  };

  const definition = defineService({
    name: 'billing',
    config: {},
    async start(app) {
      const bus = app.own(await Bus.connect(natsUrl, 'billing', app.log));
      app.serve(
        Rpc,
        withUnimplemented(Rpc, [
          handle(Rpc.lease, async ({ items }) => {
            if (controls.isUnavailable) throw new AppError('unavailable', 'the fake is set to be unavailable');
            const grants = items.map(({ id, workspaceId, maxCredits, minCredits }) => {
              const held = leases.get(id);
              if (held !== undefined) return { id, granted: held.credits };
              const granted = Math.min(maxCredits, balance(workspaceId) - reserved(workspaceId));
              if (granted < Math.max(minCredits, 1)) return { id, granted: 0 };
              leases.set(id, { workspaceId, credits: granted });
              return { id, granted };
            });
            return { grants };
          }),
          handle(Rpc.balance, async (_, { caller }) => {
            const workspaceId = caller?.workspaceId ?? '';
            return { plan: 'free', balance: balance(workspaceId), reserved: reserved(workspaceId), usedThisMonth: 0 };
          }),
        ]),
      );
      for (const event of [events.creditSpent, events.mapCharged, events.runCharged]) {
        bus.consume(event, 'billing', async (batch) => {
          for (const { event: charge } of batch) settle(charge);
        });
      }
    },
  });
  const running = await startService(definition, {});
  return Object.assign(controls, running, {
    leases,
    spent,
    setBalance: (workspaceId: string, credits: number) => void balances.set(workspaceId, credits),
  });
}
