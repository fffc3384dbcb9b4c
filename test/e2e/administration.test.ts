import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type Api, errorOf } from '../harness/api.ts';
import { catalogueIn } from '../harness/catalogue.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { REVOKED, until } from '../harness/until.ts';

// The operator's commands on workspaces, run as their own process beside the fleet.
const fleet = sharedFleet();
afterAll(() => fleet.close());

const PROGRAM = join(import.meta.dirname, '../../deploy/admin/main.ts');

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function admin(...args: readonly string[]): Promise<Ended> {
  const env = { ...process.env, TIDEMARK_DATA_DIR: fleet.dataDir, TIDEMARK_CATALOGUE: catalogueIn(fleet.dataDir) };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=tidemark-source', PROGRAM, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

/** Runs a command and returns the workspace that it prints. */
async function shown(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await admin(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const refusalOf = async (api: Api): Promise<string> => errorOf(await api.get('/projects')).error;
const statusOf = async (api: Api): Promise<number> => (await api.get('/projects')).status;

describe('workspaces', () => {
  test('lists workspaces with members, keys and credits, and selects by id, plan and suspension', async () => {
    const { id, admin: key } = await fleet.workspaces.make();
    await key.get('/me');
    const listed = await shown('workspaces', '--q', id);
    expect(listed).toMatchObject({ id, name: 'a test', plan: 'test', members: 0, keys: 3, suspendedAt: null });
    expect((await admin('workspaces', '--q', id, '--suspended')).stdout).toBe('');
    expect((await admin('workspaces', '--q', id, '--plan', 'starter')).stdout).toBe('');
    expect((await admin('workspace', '--of', id)).stdout).toContain('creditsLeft       1000');
  });

  test('refuses an unknown workspace and a missing option, and names what is expected', async () => {
    expect(await admin('suspend', '--of', 'ws_none', '--reason', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no workspace ws_none; expected an id'),
    });
    expect(await admin('suspend', '--of', 'ws_none')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--reason is missing'),
    });
  });
});

describe('suspend and resume', () => {
  test('refuse keys with the reason within seconds, and permit them again', async () => {
    const { id, reader, admin: key } = await fleet.workspaces.make();
    expect(await statusOf(reader)).toBe(200);
    await shown('suspend', '--of', id, '--reason', 'unpaid invoices since May');
    await until('the refusal', async () => (await statusOf(reader)) === 403, REVOKED);
    expect(await refusalOf(reader)).toBe(
      'this workspace is suspended by the operator of this installation: unpaid invoices since May',
    );
    expect(await shown('resume', '--of', id)).toMatchObject({ suspendedAt: null, suspensionReason: null });
    await until('the permission', async () => (await statusOf(reader)) === 200, REVOKED);
    const { body } = await key.get('/me/audit?action=workspace');
    expect((body as { data: { action: string; actor: string; detail: object }[] }).data).toMatchObject([
      { action: 'workspace.resumed' },
      { action: 'workspace.suspended', detail: { reason: 'unpaid invoices since May' } },
    ]);
    expect((await admin('resume', '--of', id)).stderr).toContain('the operator has not suspended the workspace');
  });

  test('include sub-accounts, and leave a suspension by the parent as it is', async () => {
    const parent = await fleet.workspaces.make();
    const child = async (name: string) => {
      const { id } = (await parent.admin.post('/orgs/children', { name })).body as { id: string };
      const made = await parent.admin.post(`/orgs/children/${id}/keys`, { name: 'k', scopes: ['read'] });
      return { id, key: fleet.api((made.body as { secret: string }).secret) };
    };
    const [active, held] = [await child('Active'), await child('Held')];
    await parent.admin.patch(`/orgs/children/${held.id}`, { suspended: true });
    await shown('suspend', '--of', parent.id, '--reason', 'abuse');
    await until('the refusal', async () => (await statusOf(active.key)) === 403, REVOKED);
    await shown('resume', '--of', parent.id);
    await until('the permission', async () => (await statusOf(active.key)) === 200, REVOKED);
    expect(await refusalOf(held.key)).toBe('this workspace is suspended by the workspace that pays for it');
  });
});

/** Limit of an entry of the audit log on a loaded machine. */
const ENTRIES = { withinMs: 110_000 };

describe('set-plan and add-credits', () => {
  test('change what the workspace reads, with entries in its audit log', async () => {
    const { id, admin: key } = await fleet.workspaces.make();
    const grant = ['add-credits', '--of', id, '--credits', '500', '--reason', 'goodwill', '--ref', 'case-7'];
    expect(await shown(...grant)).toMatchObject({ creditsLeft: 1_500 });
    expect(await shown(...grant)).toMatchObject({ creditsLeft: 1_500 });
    expect((await key.get('/me/billing')).body).toMatchObject({ credits: { purchasedLeft: 500 } });
    expect(await shown('set-plan', '--of', id, '--plan', 'starter')).toMatchObject({ plan: 'starter' });
    await until('the plan', async () => ((await key.get('/me')).body as { plan: string }).plan === 'starter');
    await until(
      'the entries',
      async () => {
        const { text } = await key.get('/me/audit');
        return text.includes('credits.adjusted') && text.includes('plan.changed');
      },
      ENTRIES,
    );
    expect(await admin('set-plan', '--of', id, '--plan', 'gold')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/plan "gold" does not exist; expected one of .*starter/),
    });
  }, 180_000);

  test('are refused for a sub-account, which has the credits of its parent', async () => {
    const parent = await fleet.workspaces.make();
    const { id } = (await parent.admin.post('/orgs/children', { name: 'Harbour' })).body as { id: string };
    const { code, stderr } = await admin('add-credits', '--of', id, '--credits', '5', '--reason', 'x');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${id} is a sub-account of ${parent.id}`)]);
  });
});
