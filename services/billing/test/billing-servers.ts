import { type EventDefinition, events } from '@tidemark/contracts';
import type { CreditSpent, TokensUsed } from '@tidemark/contracts/billing/v1/events';
import type { WorkspaceSnapshot } from '@tidemark/contracts/identity/v1/identity';
import { Bus, createLogger, outgoingEvent } from '@tidemark/service';
import {
  type BillingUnderTest,
  type FakeIdentity,
  type RunningService,
  startFakeIdentity,
  startService,
  startTestServers,
  type TestServers,
  until,
} from '@tidemark/testkit';
import { billing } from '../src/service.ts';

/** A billing service on its own test servers, with methods that prepare and read its accounts. */
export interface BillingServers extends TestServers, BillingUnderTest {
  readonly service: RunningService;
  readonly identity: FakeIdentity;
  /** Publishes changed snapshot of a workspace as identity does. */
  change(
    snapshot: Partial<WorkspaceSnapshot> & { readonly workspaceId: string; readonly version: number },
  ): Promise<void>;
  /** Starts another replica on the same database. */
  replica(env?: Readonly<Record<string, string>>): Promise<RunningService>;
  /** Publishes a charge as scrape does. */
  publish(charge: CreditSpent): Promise<void>;
  /** Publishes the tokens of a call of a model. */
  publishTokens(event: EventDefinition<TokensUsed>, used: TokensUsed): Promise<void>;
  account(workspaceId: string): Promise<{ balance: number; reserved: number } | undefined>;
  ledger(workspaceId: string): Promise<{ kind: string; ref: string; credits: number }[]>;
}

export async function startBillingServers(settings: Readonly<Record<string, string>> = {}): Promise<BillingServers> {
  const servers = await startTestServers();
  const identity = servers.own(await startFakeIdentity());
  const env = { ...servers.env, IDENTITY_ADDR: identity.address, SWEEP_SECONDS: '1', ...settings };
  const service = servers.own(await startService(billing, env));
  const bus = servers.own(await Bus.connect(servers.nats.url, 'test', createLogger('test', 'silent')));
  await bus.prepare();

  const { sql } = servers.database;
  const account = async (workspaceId: string) => {
    const [row] = await sql<{ balance: string; reserved: string }>(
      'SELECT allowance_left + welcome_left + purchased_left + overage_room - overage_used AS balance, reserved FROM billing.accounts WHERE workspace_id = $1',
      [workspaceId],
    );
    return row === undefined ? undefined : { balance: Number(row.balance), reserved: Number(row.reserved) };
  };
  const publish = (charge: CreditSpent) =>
    bus.publish(events.creditSpent.subject, [outgoingEvent(events.creditSpent, `credit:${charge.ref}`, charge)]);

  let published = 0;
  const publishTokens: BillingServers['publishTokens'] = (event, used) => {
    published += 1;
    return bus.publish(event.subject, [outgoingEvent(event, `tokens:${used.ref}:${published}`, used)]);
  };

  const change: BillingServers['change'] = (changed) => {
    const all = {
      state: 'active' as const,
      parentId: undefined,
      plan: '',
      cap: 0,
      isWelcome: true,
      suspendedAt: undefined,
    };
    const event = { snapshot: { ...all, ...changed }, at: new Date() };
    const id = `workspace:${changed.workspaceId}:${changed.version}`;
    return bus.publish(events.workspaceChanged.subject, [outgoingEvent(events.workspaceChanged, id, event)]);
  };

  return {
    ...servers,
    change,
    service,
    peer: service.peer,
    publish,
    publishTokens,
    account,
    identity,
    replica: async (more = {}) => servers.own(await startService(billing, { ...env, ...more })),
    ledger: (workspaceId) =>
      sql('SELECT kind, ref, credits::int FROM billing.ledger WHERE workspace_id = $1 ORDER BY id', [workspaceId]),
    // Writes a ledger entry too, so that `balance` stays the sum of the ledger.
    async setBalance(workspaceId, credits) {
      await sql(
        `WITH opened AS (INSERT INTO billing.accounts (workspace_id, plan, allowance, welcome_left, overage_room)
           VALUES ($1, 'free', 0, $2, 0))
         INSERT INTO billing.ledger (workspace_id, kind, ref, credits, welcome) VALUES ($1, 'welcome', $1, $2, $2)`,
        [workspaceId, credits],
      );
    },
    async settle(charge) {
      await publish({ ...charge, kind: 'page', pages: 1, at: new Date(), actorId: '', projectId: '' });
      await until(
        'the charge to be in the ledger',
        async () => (await sql('SELECT 1 FROM billing.ledger WHERE ref = $1', [charge.ref])).length > 0,
      );
    },
  };
}
