import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyBackup } from '../../deploy/admin/backup/verify-backup.ts';
import { exportWorkspace } from '../../deploy/admin/workspace/export-workspace.ts';
import { importWorkspace } from '../../deploy/admin/workspace/import-workspace.ts';
import { sealingKeys } from '../../deploy/local/local-keys.ts';
import { everyRow, startCrawl, untilEnded } from '../faults/crawls.ts';
import { creditProblems, creditStateOf } from '../faults/invariants.ts';
import { type OwnFleet, startFleet } from '../harness/fleet.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { startWeb } from '../web/server.ts';
import { CANARY, type Filled, fill, readEverything, untilQuiet } from './filled-fleet.ts';
import { installationOf, withClientsOf } from './installations.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tidemark-move-'));
const dir = join(scratch, 'export');
const say = (line: string): void => console.info(line);
/** What belongs to the installation: its credits, and the addresses and names of its people. */
const OF_INSTALLATION: readonly string[] = ['/me/usage', '/me/billing'];
let web: Awaited<ReturnType<typeof startWeb>>;
let source: OwnFleet;
let target: OwnFleet;
let filled: Filled;
let before: ReadonlyMap<string, string>;

/** Work of others, so that numbers of sequences and bodies overlap. */
async function useAsOthersDo(fleet: OwnFleet): Promise<void> {
  const other = await fleet.workspaces.make();
  const project = await makeProject(other.writer, { seed: web.url('/article'), config: { max_pages: 2 } });
  await runToEnd(other.writer, project.id);
  await untilQuiet(fleet);
}

beforeAll(async () => {
  web = await startWeb();
  source = await startFleet();
  filled = await fill(source, web);
  before = await readEverything(filled);
  await useAsOthersDo(source);
}, 600_000);
afterAll(async () => {
  await source?.close();
  await target?.close();
  await web.close();
  rmSync(scratch, { recursive: true, force: true });
}, 60_000);

const exportTo = (folder: string, workspaceId = filled.workspace.id) =>
  exportWorkspace({ installation: installationOf(source), workspaceId, dir: folder, version: '1.0.0', say });

const importInto = (fleet: OwnFleet, sourceKeys: string) =>
  importWorkspace({ installation: installationOf(fleet), ownKeys: sealingKeys(fleet.dataDir), sourceKeys, dir, say });

describe('the export of a workspace', () => {
  it('is refused while work of it is in progress, and for a workspace that does not exist', async () => {
    const busy = await source.workspaces.make();
    const urls = Array.from({ length: 30 }, (_, n) => web.url(`/article?busy=${n}`));
    const order = { url: web.url('/'), crawlMode: 'list_only', concurrency: 1, delay: 500, config: { url_list: urls } };
    const id = await startCrawl(busy.writer, order);
    await expect(exportTo(join(scratch, 'busy'), busy.id)).rejects.toThrow('in progress: 1 crawls and runs');
    expect((await busy.writer.delete(`/crawl/${id}`)).status).toBeLessThan(300);
    await expect(exportTo(join(scratch, 'none'), 'ws_01j5xq2w8se6fa7t0a6q1n3k2m')).rejects.toThrow('no workspace');
  }, 120_000);

  it('contains its rows and the bodies that they reference, and nothing of other workspaces', async () => {
    const manifest = await exportTo(dir);
    const { faults, named, bodies } = await verifyBackup(dir);
    expect(faults).toEqual([]);
    expect(named).toBeGreaterThan(3);
    expect(bodies).toBe(named);
    const workspaces = manifest.tables.find(({ schema, table }) => schema === 'identity' && table === 'workspaces');
    expect(workspaces?.rows).toBe(1);
  }, 60_000);
});

describe('the import of a workspace', () => {
  beforeAll(async () => {
    await source.stack.stop();
    target = await startFleet();
    await useAsOthersDo(target);
  }, 600_000);

  it('is refused without the keys of the other installation, and leaves no row', async () => {
    await expect(importInto(target, '')).rejects.toThrow('Pass the keys of the other installation');
    const rows = await target.sql('SELECT id FROM identity.workspaces WHERE id = $1', [filled.workspace.id]);
    expect(rows).toEqual([]);
  }, 120_000);

  it('answers every request as the other installation did, under the same ids and keys, while the fleet runs', async () => {
    const imported = await importInto(target, sealingKeys(source.dataDir));
    expect(imported.workspaceIds).toEqual([filled.workspace.id]);
    const after = await readEverything(withClientsOf(target, filled));
    for (const [path, text] of before)
      if (!OF_INSTALLATION.includes(path)) expect([path, after.get(path)]).toEqual([path, text]);
  }, 240_000);

  it('opens its secrets with the key of this installation', async () => {
    const { workspace, projectId, loginId, connectionId } = withClientsOf(target, filled);
    const hits = web.hits('/article').length;
    await runToEnd(workspace.writer, projectId);
    expect(web.hits('/article').slice(hits)[0]?.headers['x-ticket']).toBe(CANARY);
    expect((await workspace.writer.post(`/logins/${loginId}/test`, {})).status).toBe(200);
    expect((await workspace.admin.post(`/connections/${connectionId}/test`, {})).status).toBe(200);
  }, 240_000);

  it('continues a paused crawl to its end: each page stored and charged once', async () => {
    const { workspace, crawlId, crawlUrls } = withClientsOf(target, filled);
    expect((await workspace.writer.post(`/crawl/${crawlId}/resume`, {})).status).toBe(200);
    await untilEnded(target, crawlId, 90_000);
    const rows = await everyRow(workspace.reader, crawlId, 'formats=none&limit=100');
    expect(rows.map(({ url }) => url).toSorted()).toEqual(crawlUrls.toSorted());
    await untilQuiet(target);
    expect(creditProblems(await creditStateOf(target, workspace))).toEqual([]);
  }, 300_000);

  it('is refused for a workspace that exists', async () => {
    await expect(importInto(target, sealingKeys(source.dataDir))).rejects.toThrow(
      'exists in this installation already',
    );
  });
});
