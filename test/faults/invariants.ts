import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCatalogue } from '../harness/catalogue.ts';
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

/** Credits of a new workspace in these stacks: more than any test spends, however fast the machine is. */
export const WELCOME_CREDITS = 1_000_000;
/** Requests a minute of a key in these stacks: a load must meet the fault that is tested and no rate limit. */
const RPM = 100_000;

/** Writes the bundled catalogue with these numbers and returns its path, in the scratch folder of the run. */
export function generousCatalogue(): string {
  const file = writeCatalogue(mkdtempSync(join(tmpdir(), 'tidemark-catalogue-')));
  const text = readFileSync(file, 'utf8')
    .replaceAll(/"welcomeCredits": \d+/g, `"welcomeCredits": ${WELCOME_CREDITS}`)
    .replaceAll(/"rpm": \d+/g, `"rpm": ${RPM}`);
  writeFileSync(file, text);
  return file;
}

/**
 * Starts the stack of these tests: a process for each service, and a PostgreSQL that waits for its log, as in production. Credits that
 * were reserved by a process that died are returned after 20 s instead of 15 minutes.
 */
export function startFaultyFleet(billing: Readonly<Record<string, string>> = {}): Promise<OwnFleet> {
  const catalogue = { TIDEMARK_CATALOGUE: generousCatalogue() };
  return startFleet({
    processPerService: true,
    ephemeral: false,
    env: { gateway: catalogue, billing: { ...catalogue, LEASE_SECONDS: '20', ...billing } },
  });
}

/** Reads the credits of a workspace and the outbox events that are not confirmed yet. */
export async function creditStateOf({ sql }: OwnFleet, { id }: Workspace) {
  const [ledger, leases, accounts, outbox] = await Promise.all([
    sql<{ ref: string; kind: string; credits: number }>(
      'SELECT ref, kind, credits::int FROM billing.ledger WHERE workspace_id = $1',
      [id],
    ),
    sql<{ id: string }>('SELECT id FROM billing.leases WHERE workspace_id = $1', [id]),
    sql<{ balance: string; reserved: string }>(
      'SELECT allowance_left + welcome_left + purchased_left + overage_room - overage_used AS balance, reserved FROM billing.accounts WHERE workspace_id = $1',
      [id],
    ),
    sql<{ id: string }>(
      'SELECT id FROM scrape.outbox UNION ALL SELECT id FROM crawl.outbox UNION ALL SELECT id FROM map.outbox',
    ),
  ]);
  return { ledger, leases, account: accounts[0], outbox };
}
export type CreditState = Awaited<ReturnType<typeof creditStateOf>>;

/** Returns the charges and events that are not settled; empty if none. */
export const pendingCredits = ({ leases, outbox, account }: CreditState): string[] => [
  ...leases.map(({ id }) => `${id} is leased`),
  ...outbox.map(({ id }) => `${id} is unconfirmed`),
  ...(account?.reserved === '0' ? [] : [`${account?.reserved} credits are set aside`]),
];

/** Returns the contradictions of the ledger: a balance is the sum of its entries. */
export function creditProblems({ ledger, account }: CreditState): string[] {
  const sum = ledger.reduce((total, { credits }) => total + credits, 0);
  return String(sum) === account?.balance ? [] : [`the ledger adds up to ${sum}, the balance is ${account?.balance}`];
}

/** Rows of all services for one workspace. */
async function stateOf(fleet: OwnFleet, workspace: Workspace) {
  const { id } = workspace;
  const [jobs, pages, credit] = await Promise.all([
    fleet.sql<JobRow>(
      'SELECT id, capture_id AS "captureId", status, credits, pages FROM scrape.jobs WHERE workspace_id = $1',
      [id],
    ),
    fleet.sql<{ id: string; job: string }>('SELECT id, job_id AS job FROM archive.pages WHERE workspace_id = $1', [id]),
    creditStateOf(fleet, workspace),
  ]);
  return { jobs, pages, credit };
}
type State = Awaited<ReturnType<typeof stateOf>>;

/** Returns the work that is not finished; empty if none. */
function underWay({ jobs, credit }: State): string[] {
  const open = jobs.filter(({ status }) => status === 'running' || status === 'queued');
  return [...open.map(({ id, status }) => `${id} is ${status}`), ...pendingCredits(credit)];
}

/** Returns the invariants that one job violates. */
function brokenJob(job: JobRow, pages: State['pages'], charges: CreditState['ledger']): string[] {
  const problems: string[] = [];
  const stored = pages.filter((page) => page.job === job.id);
  const charged = charges.filter(({ ref }) => ref === job.captureId);
  if (stored.length !== job.pages)
    problems.push(`${job.id} is ${job.status} with ${job.pages} pages and has ${stored.length} stored`);
  if (job.status === 'done' && stored.length !== 1) problems.push(`${job.id} is done and has ${stored.length} pages`);
  if (stored.some((page) => page.id !== job.captureId)) problems.push(`${job.id} has a page that is not its capture`);
  if (charged.length !== 1) problems.push(`${job.id} is ${job.status} and has ${charged.length} ledger entries`);
  const cost = -charged.reduce((sum, { credits }) => sum + credits, 0);
  if (cost !== job.credits) problems.push(`${job.id} cost ${job.credits} and was charged ${cost}`);
  return problems;
}

/** Returns the violated invariants; empty if none. */
function broken({ jobs, pages, credit }: State, accepted: readonly string[]): string[] {
  const problems = creditProblems(credit);
  const charges = credit.ledger.filter(({ kind }) => kind === 'page');
  for (const id of accepted) if (!jobs.some((job) => job.id === id)) problems.push(`${id} was accepted and is lost`);
  for (const job of jobs) problems.push(...brokenJob(job, pages, charges));
  for (const page of pages) if (!jobs.some((job) => job.id === page.job)) problems.push(`page ${page.id} has no job`);
  const known = new Set(jobs.map(({ captureId }) => captureId));
  const stray = charges.filter(({ ref, credits }) => !known.has(ref) && credits !== 0);
  for (const { ref } of stray) problems.push(`${ref} was charged and has no job`);
  return problems;
}

/** Shortens many lines to the first ones and their number. */
export const some = (lines: readonly string[], most = 30): string[] =>
  lines.length <= most ? [...lines] : [...lines.slice(0, most), `… and ${lines.length - most} more`];

/** Waits until the gateway reaches every service. */
export const untilReached = (fleet: OwnFleet): Promise<boolean> =>
  until('the gateway to reach every service', async () => (await fetch(`${fleet.url}/readyz`)).ok, {
    withinMs: 20_000,
  });

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
  await untilReached(fleet);
  await until(
    'everything to come to rest',
    async () => {
      const left = underWay(await stateOf(fleet, workspace));
      if (left.length > 0) throw new Error(some(left).join(', '));
      return true;
    },
    { withinMs },
  );
  // Read again: a row that changed while the tables were being read is in some of them only.
  const state = await stateOf(fleet, workspace);
  const problems = broken(state, accepted);
  if (problems.length > 0) throw new Error(some(problems).join('\n'));
  for (const { id, status, pages } of state.jobs) {
    const job = await workspace.reader.job(id);
    if (job.status !== status || job.data.length !== pages)
      throw new Error(`${id} is ${status}, but is shown as ${job.status} with ${job.data.length} pages`);
  }
  return new Map(state.jobs.map(({ id, status }) => [id, status]));
}
