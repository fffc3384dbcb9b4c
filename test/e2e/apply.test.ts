import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bundleTo } from '@tidemark/cli/bundle';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import type { Workspace } from '../harness/workspaces.ts';

const fleet = sharedFleet();
let workspace: Workspace;
let folder = '';
let program = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tm-apply-'));
  program = join(folder, 'tidemark.js');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  await bundleTo(program);
  workspace = await fleet.workspaces.make();
  const config = { host: '127.0.0.5', database: 'store', user: 'writer', schema: 'public', tls: 'off' };
  const body = { provider: 'postgresql', name: 'Warehouse', config, secrets: { password: 'x' } };
  await workspace.admin.post('/connections', body);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await fleet.close();
});

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `tidemark apply` with a file. */
function apply(file: string, ...flags: readonly string[]): Promise<Ended> {
  const path = join(folder, 'sites.yaml');
  writeFileSync(path, file);
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    TIDEMARK_API_KEY: workspace.admin.key,
    TIDEMARK_BASE_URL: `${fleet.url}/v1`,
    HOOK: 'http://127.0.0.5/hooks/secret-of-file',
  };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, 'apply', '-f', path, ...flags],
      { env, cwd: folder },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

const FILE = `version: 1
name: docs
defaults:
  schedule: daily
  config:
    max_pages: 50
    exclude_paths: [/tag/**]
projects:
  harbour:
    seed: http://127.0.0.5
    name: The harbour
    timezone: Europe/Berlin
    config:
      max_pages: 20
      webhook_url: \${HOOK}
      headers: { Authorization: Bearer abc, Accept-Language: de }
    destinations:
      Pages:
        connection: Warehouse
        table: site_pages
        mode: mirror
        shape: { columns: [{ name: address, expr: url, type: text }] }
  tides:
    seed: http://127.0.0.5/tides
`;
const projects = async (): Promise<{ id: string; reference: string | null; schedule: string }[]> =>
  ((await workspace.reader.get('/projects')).body as { data: { id: string; reference: string; schedule: string }[] })
    .data;

describe('tidemark apply', () => {
  test('creates what a file describes, and repeated changes nothing', async () => {
    const byHand = await workspace.writer.post('/projects', { seed: 'http://127.0.0.5/by-hand' });
    const plan = await apply(FILE, '--plan');
    expect({ ...plan, stdout: '' }).toEqual({
      code: 2,
      stdout: '',
      stderr: '3 created, 0 changed, 0 deleted, 0 unchanged\n',
    });
    expect(plan.stdout).toContain('+ project docs/harbour');
    expect(await apply(FILE)).toMatchObject({ code: 0, stderr: '3 created, 0 changed, 0 deleted, 0 unchanged\n' });
    const made = await projects();
    expect(made.map(({ reference }) => reference).toSorted()).toEqual(['docs/harbour', 'docs/tides', null].toSorted());
    expect(await apply(FILE, '--plan')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '0 created, 0 changed, 0 deleted, 3 unchanged\n',
    });
    expect(await apply(FILE)).toMatchObject({ code: 0, stdout: '' });
    expect(await projects()).toEqual(made);
    expect(byHand.status).toBe(201);
  });

  test('shows drift without secrets, and repairs it', async () => {
    const harbour = (await projects()).find(({ reference }) => reference === 'docs/harbour')?.id;
    await workspace.writer.patch(`/projects/${harbour}`, {
      schedule: 'weekly',
      config: { max_pages: 7, max_depth: 1, webhook_url: 'http://127.0.0.5/other', headers: null },
    });
    const plan = await apply(FILE, '--plan');
    expect(plan.code).toBe(2);
    expect(plan.stdout).toContain('schedule: weekly -> daily');
    expect(plan.stdout).toContain('config.max_pages: 7 -> 20');
    expect(plan.stdout).toContain('config.max_depth: 1 -> (default)');
    expect(plan.stdout).toContain('config.webhook_url');
    expect(plan.stdout).toContain('config.headers');
    expect(plan.stdout).not.toContain('Bearer abc');
    expect(await apply(FILE, '--json')).toMatchObject({
      code: 0,
      stderr: '0 created, 1 changed, 0 deleted, 2 unchanged\n',
    });
    expect((await apply(FILE, '--plan')).code).toBe(0);
  });

  test('deletes with --prune only, and never a project of another set or made by hand', async () => {
    const smaller = FILE.slice(0, FILE.indexOf('    destinations:'));
    expect(await apply(smaller)).toMatchObject({ code: 0, stderr: expect.stringContaining('2 not in the file') });
    expect(await projects()).toHaveLength(3);
    expect(await apply(smaller, '--prune')).toMatchObject({ code: 64, stderr: expect.stringContaining('--yes') });
    expect(await apply(smaller, '--prune', '--yes')).toMatchObject({ code: 0 });
    expect((await projects()).map(({ reference }) => reference).toSorted()).toEqual(['docs/harbour', null].toSorted());
    expect((await apply(smaller, '--plan')).code).toBe(0);
  });

  test('names the line of a fault and changes nothing', async () => {
    const wrong = await apply(FILE.replace('max_pages: 20', 'max_pages: many'));
    expect(wrong).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/sites\.yaml:\d+: projects\.harbour\.config\.max_pages/),
    });
  });
});

describe('the reference of a project', () => {
  test('is unique in a workspace', async () => {
    const own = await fleet.workspaces.make();
    const create = (reference: string) => own.writer.post('/projects', { seed: 'http://127.0.0.5/', reference });
    expect(await create('a/b')).toMatchObject({ status: 201, body: { reference: 'a/b' } });
    expect(errorOf(await create('a/b'))).toMatchObject({ status: 409, code: 'conflict', fields: ['reference'] });
    const { body } = await create('a/c');
    const { id } = body as { id: string };
    expect(errorOf(await own.writer.patch(`/projects/${id}`, { reference: 'a/b' }))).toMatchObject({ status: 409 });
    expect(await own.writer.patch(`/projects/${id}`, { reference: null })).toMatchObject({ body: { reference: null } });
    const other = await fleet.workspaces.make();
    expect(await other.writer.post('/projects', { seed: 'http://127.0.0.5/', reference: 'a/b' })).toMatchObject({
      status: 201,
    });
  });
});
