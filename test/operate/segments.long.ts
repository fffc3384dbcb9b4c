import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openBlobs } from '@tidemark/blobs';
import { takeBackup } from '../../deploy/admin/backup/take-backup.ts';
import { verifyBackup } from '../../deploy/admin/backup/verify-backup.ts';
import { type OwnFleet, startFleet } from '../harness/fleet.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import { startWeb } from '../web/server.ts';
import { untilQuiet } from './filled-fleet.ts';
import { installationOf } from './installations.ts';

const HOUR_MS = 3_600_000;
/** Segments below 16 MB that are merged, and some more. */
const SMALL_SEGMENTS = 10;
const scratch = mkdtempSync(join(tmpdir(), 'tidemark-segments-'));
const say = (line: string): void => console.info(line);
let web: Awaited<ReturnType<typeof startWeb>>;
let fleet: OwnFleet;
let folder = '';
/** Part of the stored form of a body that only the project references. */
let mark: Buffer = Buffer.alloc(0);

beforeAll(async () => {
  web = await startWeb();
  const sweeps = { SWEEP_SECONDS: '2' };
  fleet = await startFleet({ env: { archive: { ...sweeps, CATCH_UP_MINUTES: '0' }, map: sweeps } });
  folder = join(fileURLToPath(installationOf(fleet).blobUrl), 'segments');
}, 300_000);
afterAll(async () => {
  await fleet?.close();
  await web.close();
  rmSync(scratch, { recursive: true, force: true });
}, 60_000);

const segments = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.seg'))
    .map((name) => join(folder, name));
const isStored = (): boolean => segments().some((file) => readFileSync(file).includes(mark));

/** Makes bodies due for the next step of their collection now: to the trash, or out of it. */
const makeDue = (inTrash: boolean): Promise<object[]> =>
  fleet.sql('UPDATE archive.blob_candidates SET due = now() WHERE in_trash = $1', [inTrash]);

async function candidates(): Promise<{ waiting: number; inTrash: number }> {
  const [row] = await fleet.sql<{ waiting: string; trashed: string }>(
    'SELECT count(*) FILTER (WHERE NOT in_trash) AS waiting, count(*) FILTER (WHERE in_trash) AS trashed FROM archive.blob_candidates',
  );
  return { waiting: Number(row?.waiting), inTrash: Number(row?.trashed) };
}

/** Returns the stored forms of all bodies that contain a text. */
async function packedWith(text: string): Promise<Buffer[]> {
  const blobs = openBlobs(installationOf(fleet).blobUrl);
  const found: Buffer[] = [];
  for await (const sha256 of blobs.list())
    if ((await blobs.get(sha256)).includes(text)) found.push(Buffer.from((await blobs.getPacked(sha256)).packed));
  await blobs.close();
  return found;
}

describe('a backup of bodies in segments', () => {
  it('is whole although a project is deleted, its bodies go to the trash and their segments are compacted between database and bodies', async () => {
    const { writer, admin } = await fleet.workspaces.make();
    const config = { max_pages: 2, use_sitemap: false, store_html: 'always' };
    const project = await makeProject(writer, { seed: web.url('/article?project=segments'), config });
    await runToEnd(writer, project.id);
    await untilQuiet(fleet);
    const [body = Buffer.alloc(0)] = await packedWith('gauge at Harlow Point');
    mark = body.subarray(body.length - 64);
    expect(isStored()).toBe(true);
    const before = segments();

    const deleteAndCompact = async (): Promise<void> => {
      expect((await admin.delete(`/projects/${project.id}`)).status).toBeLessThan(300);
      await until('the bodies to be in the trash', async () => {
        await makeDue(false);
        const { waiting, inTrash } = await candidates();
        return waiting === 0 && inTrash > 0;
      });
      for (let at = 0; at < SMALL_SEGMENTS; at += 1) {
        const blobs = openBlobs(installationOf(fleet).blobUrl);
        await blobs.put(randomBytes(1_000));
        await blobs.close();
      }
      for (const file of segments()) utimesSync(file, new Date(), new Date(Date.now() - 2 * HOUR_MS));
      await until('the segments to be rewritten', () => before.every((file) => !existsSync(file)), {
        withinMs: 60_000,
      });
    };
    const dir = join(scratch, 'backup');
    const installation = installationOf(fleet);
    const order = { installation, dir, version: '1.0.0', trashHours: 24, say, onDatabaseCopied: deleteAndCompact };
    const manifest = await takeBackup(order);
    expect(manifest.isComplete).toBe(true);
    const verified = await verifyBackup(dir);
    expect(verified.faults).toEqual([]);
    expect(verified.named).toBeGreaterThan(0);
  }, 400_000);

  it('is reported as incomplete, with the missing bodies, if the bodies were copied after they left the trash', async () => {
    const { writer, admin } = await fleet.workspaces.make();
    const project = await makeProject(writer, {
      seed: web.url('/listing?project=late'),
      config: { max_pages: 2, use_sitemap: false },
    });
    await runToEnd(writer, project.id);
    await untilQuiet(fleet);
    const deleteForGood = async (): Promise<void> => {
      expect((await admin.delete(`/projects/${project.id}`)).status).toBeLessThan(300);
      await until('the bodies to be in the trash', async () => {
        await makeDue(false);
        const { waiting, inTrash } = await candidates();
        return waiting === 0 && inTrash > 0;
      });
      await until('the bodies to be purged', async () => {
        await makeDue(true);
        const { waiting, inTrash } = await candidates();
        return waiting + inTrash === 0;
      });
    };
    const dir = join(scratch, 'late');
    const later = new Date(Date.now() + 26 * HOUR_MS);
    const order = { installation: installationOf(fleet), dir, version: '1.0.0', trashHours: 24, say, now: () => later };
    const manifest = await takeBackup({ ...order, onDatabaseCopied: deleteForGood });
    expect(manifest.isComplete).toBe(false);
    const { faults } = await verifyBackup(dir);
    expect(faults.join('\n')).toMatch(/took longer than unreferenced bodies are kept/);
    expect(faults.join('\n')).toMatch(/references [0-9a-f]{64}, which the backup lacks/);
  }, 400_000);

  it('erased bodies are in no segment once their time in the trash is over', () => {
    expect(isStored()).toBe(false);
  });
});
