import {
  type AccountAdministration,
  type AdministeredAccount,
  makeAdministerAccounts,
} from '@tidemark/billing/administer-accounts';
import { loadCatalogue } from '@tidemark/catalogue';
import {
  type AdministeredWorkspace,
  makeAdministerWorkspaces,
  type WorkspaceAdministration,
  type WorkspaceFilter,
} from '@tidemark/identity/administer-workspaces';
import { openPool } from '@tidemark/service';
import type { Installation } from '../installation.ts';

const PAGE = 500;
const CONNECTIONS = 2;

/** A workspace with its credits, as commands print it. Times are ISO 8601. */
export interface ShownWorkspace {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  /** The workspace that pays, for a sub-account. */
  readonly parentId: string | null;
  readonly members: number;
  /** API keys that are not revoked. */
  readonly keys: number;
  readonly subAccounts: number;
  /** Credits left without overage; null: no limit, a sub-account, or no request yet. */
  readonly creditsLeft: number | null;
  /** Credits charged since the begin of the month (UTC). */
  readonly usedThisMonth: number;
  readonly createdAt: string;
  /** null: active. */
  readonly suspendedAt: string | null;
  /** Why the operator suspended it; null: the operator has not. */
  readonly suspensionReason: string | null;
}

/** The workspaces of an installation, for its operator. The fleet may run: what changes is sent to the other services by its outboxes. */
export interface Workspaces {
  /** Reads all workspaces that match, oldest first. */
  readonly list: (filter: WorkspaceFilter) => AsyncGenerator<ShownWorkspace>;
  readonly show: (id: string) => Promise<ShownWorkspace>;
  readonly suspend: (id: string, reason: string) => Promise<ShownWorkspace>;
  readonly resume: (id: string) => Promise<ShownWorkspace>;
  readonly setPlan: (id: string, plan: string) => Promise<ShownWorkspace>;
  /** A repeated grant with the same `ref` changes nothing. */
  readonly addCredits: (
    id: string,
    grant: { readonly credits: number; readonly reason: string; readonly ref: string | undefined },
  ) => Promise<ShownWorkspace>;
}

/** Calls `work` with the workspaces of an installation, through the use cases of identity and billing on their own schemas. */
export async function withWorkspaces<Result>(
  { databaseUrl }: Pick<Installation, 'databaseUrl'>,
  work: (workspaces: Workspaces) => Promise<Result>,
): Promise<Result> {
  const identity = openPool(databaseUrl, 'identity', CONNECTIONS);
  const billing = openPool(databaseUrl, 'billing', CONNECTIONS);
  try {
    const now = () => new Date();
    return await work(
      makeWorkspaces({
        workspaces: makeAdministerWorkspaces({ pool: identity, now }),
        accounts: makeAdministerAccounts({
          pool: billing,
          catalogue: loadCatalogue(process.env['TIDEMARK_CATALOGUE']),
          defaultPlan: process.env['TIDEMARK_DEFAULT_PLAN'] ?? 'self_hosted',
          now,
        }),
      }),
    );
  } finally {
    await identity.end();
    await billing.end();
  }
}

function makeWorkspaces({
  workspaces,
  accounts,
}: {
  readonly workspaces: WorkspaceAdministration;
  readonly accounts: AccountAdministration;
}): Workspaces {
  const show = async (found: AdministeredWorkspace): Promise<ShownWorkspace> =>
    toShown(found, (await accounts.read([found.id])).get(found.id));
  return {
    async *list(filter) {
      let after: string | undefined;
      do {
        const page = await workspaces.list(filter, { after, limit: PAGE });
        const credits = await accounts.read(page.map(({ id }) => id));
        for (const found of page) yield toShown(found, credits.get(found.id));
        after = page.length < PAGE ? undefined : page.at(-1)?.id;
      } while (after !== undefined);
    },
    show: async (id) => show(await workspaces.find(id)),
    suspend: async (id, reason) => show(await workspaces.suspend(id, reason)),
    resume: async (id) => show(await workspaces.resume(id)),
    async setPlan(id, plan) {
      await accounts.setPlan(await workspaces.snapshot(id), plan);
      return show(await workspaces.find(id));
    },
    async addCredits(id, grant) {
      await accounts.addCredits(await workspaces.snapshot(id), grant);
      return show(await workspaces.find(id));
    },
  };
}

const toShown = (found: AdministeredWorkspace, account: AdministeredAccount | undefined): ShownWorkspace => ({
  id: found.id,
  name: found.name,
  // Billing has the plan; identity stores it once it has received the change.
  plan: account?.plan ?? found.plan,
  parentId: found.parentId,
  members: found.members ?? 0,
  keys: found.keys ?? 0,
  subAccounts: found.children ?? 0,
  creditsLeft: account?.creditsLeft ?? null,
  usedThisMonth: account?.usedThisMonth ?? 0,
  createdAt: found.createdAt.toISOString(),
  suspendedAt: (found.operatorSuspendedAt ?? found.suspendedAt)?.toISOString() ?? null,
  suspensionReason: found.suspensionReason,
});

/** Returns a workspace as lines of text, one a field. */
export const linesOf = (workspace: ShownWorkspace): string[] =>
  Object.entries(workspace).map(([name, value]) => `${name.padEnd(17)} ${value ?? '–'}`);

/** Returns a workspace as one line of a list. */
export function lineOf({
  id,
  name,
  plan,
  members,
  creditsLeft,
  usedThisMonth,
  suspendedAt,
  parentId,
}: ShownWorkspace): string {
  const figures = `${members} members, ${usedThisMonth} credits this month, ${creditsLeft ?? 'no limit of'} left`;
  const state = suspendedAt === null ? '' : ', suspended';
  return `${id}  ${plan.padEnd(12)} ${figures}${state}${parentId === null ? '' : `, of ${parentId}`}  ${name}`;
}
