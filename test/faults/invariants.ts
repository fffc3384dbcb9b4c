import { type OwnFleet, startFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';

interface JobRow {
  readonly id: string;
  readonly captureId: string;
  readonly status: string;
  readonly credits: number;
  readonly pages: number;
}

/**
 * The stack faults are done to: a process for each service, and a Postgres that keeps what it has acknowledged, as outside of
 * tests. Credits set aside for work that died before it was written down are given back within a minute, where an operator
 * would leave them a quarter of an hour.
 */
export const startFaultyFleet = (): Promise<OwnFleet> =>
  startFleet({ processPerService: true, ephemeral: false, env: { billing: { LEASE_SECONDS: '20' } } });

/** Everything the services keep of one workspace. */
async function stateOf({ sql }: OwnFleet, { id }: Workspace) {
  const [jobs, pages, ledger, leases, accounts, outbox] = await Promise.all([
    sql<JobRow>(
      'SELECT id, capture_id AS "captureId", status, credits, pages FROM scrape.jobs WHERE workspace_id = $1',
      [id],
    ),
    sql<{ id: string; job: string }>('SELECT id, job_id AS job FROM archive.pages WHERE workspace_id = $1', [id]),
    sql<{ ref: string; kind: string; credits: number }>(
      'SELECT ref, kind, credits FROM billing.ledger WHERE workspace_id = $1',
      [id],
    ),
    sql<{ id: string }>('SELECT id FROM billing.leases WHERE workspace_id = $1', [id]),
    sql<{ balance: string; reserved: string }>(
      'SELECT balance, reserved FROM billing.accounts WHERE workspace_id = $1',
      [id],
    ),
    sql<{ id: string }>('SELECT id FROM scrape.outbox'),
  ]);
  return { jobs, pages, ledger, leases, account: accounts[0], outbox };
}
type State = Awaited<ReturnType<typeof stateOf>>;

/** What is still on its way; empty when all has come to rest. */
function underWay({ jobs, leases, outbox, account }: State): string[] {
  return [
    ...jobs
      .filter(({ status }) => status === 'running' || status === 'queued')
      .map(({ id, status }) => `${id} is ${status}`),
    ...leases.map(({ id }) => `${id} is leased`),
    ...outbox.map(({ id }) => `${id} is unconfirmed`),
    ...(account?.reserved === '0' ? [] : [`${account?.reserved} credits are set aside`]),
  ];
}

/** What contradicts what was promised; empty when nothing does. */
function broken({ jobs, pages, ledger, account }: State, accepted: readonly string[]): string[] {
  const problems: string[] = [];
  const charges = ledger.filter(({ kind }) => kind === 'page');
  for (const id of accepted) if (!jobs.some((job) => job.id === id)) problems.push(`${id} was accepted and is lost`);
  for (const job of jobs) {
    const stored = pages.filter((page) => page.job === job.id);
    const charged = charges.filter(({ ref }) => ref === job.captureId);
    if (stored.length !== job.pages)
      problems.push(`${job.id} is ${job.status} with ${job.pages} pages and has ${stored.length} stored`);
    if (job.status === 'done' && stored.length !== 1) problems.push(`${job.id} is done and has ${stored.length} pages`);
    if (stored.some((page) => page.id !== job.captureId)) problems.push(`${job.id} has a page that is not its capture`);
    if (charged.length !== 1) problems.push(`${job.id} is ${job.status} and has ${charged.length} ledger entries`);
    const cost = -charged.reduce((sum, { credits }) => sum + credits, 0);
    if (cost !== job.credits) problems.push(`${job.id} cost ${job.credits} and was charged ${cost}`);
  }
  for (const page of pages) if (!jobs.some((job) => job.id === page.job)) problems.push(`page ${page.id} has no job`);
  const known = new Set(jobs.map(({ captureId }) => captureId));
  const stray = charges.filter(({ ref, credits }) => !known.has(ref) && credits !== 0);
  for (const { ref } of stray) problems.push(`${ref} was charged and has no job`);
  const sum = ledger.reduce((total, { credits }) => total + credits, 0);
  if (String(sum) !== account?.balance)
    problems.push(`the ledger adds up to ${sum}, the balance is ${account?.balance}`);
  return problems;
}

/**
 * What holds after every fault: each accepted job has ended, its page is stored once and can be read, it is charged once what it
 * cost, nothing is set aside any more, and every fact has reached its consumers.
 * @returns how the jobs ended, by id
 */
export async function expectAllWell(
  fleet: OwnFleet,
  workspace: Workspace,
  { accepted, withinMs = 90_000 }: { readonly accepted: readonly string[]; readonly withinMs?: number },
): Promise<Map<string, string>> {
  await until('the gateway to reach everyone', async () => (await fetch(`${fleet.url}/readyz`)).ok, {
    withinMs: 20_000,
  });
  const state = await until(
    'everything to come to rest',
    async () => {
      const now = await stateOf(fleet, workspace);
      const left = underWay(now);
      if (left.length > 0) throw new Error(left.join(', '));
      return now;
    },
    { withinMs },
  );
  const problems = broken(state, accepted);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  for (const { id, status, pages } of state.jobs) {
    const job = await workspace.reader.job(id);
    if (job.status !== status || job.data.length !== pages)
      throw new Error(`${id} is ${status}, but is shown as ${job.status} with ${job.data.length} pages`);
  }
  return new Map(state.jobs.map(({ id, status }) => [id, status]));
}
