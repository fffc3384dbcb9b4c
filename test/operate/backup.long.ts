import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Manifest } from '../../deploy/admin/backup/manifest.ts';
import { restoreBackup } from '../../deploy/admin/backup/restore-backup.ts';
import { takeBackup } from '../../deploy/admin/backup/take-backup.ts';
import { verifyBackup } from '../../deploy/admin/backup/verify-backup.ts';
import { type Installation, openDataFolder } from '../../deploy/admin/installation.ts';
import { readSealingKeys } from '../../deploy/admin/keys/sealing-keys.ts';
import { sealingKeys } from '../../deploy/local/local-keys.ts';
import { ROOT } from '../../deploy/local/stack-context.ts';
import { everyRow, untilEnded } from '../faults/crawls.ts';
import { creditProblems, creditStateOf, expectAllWell } from '../faults/invariants.ts';
import { startLoad } from '../faults/load.ts';
import { type OwnFleet, startFleet } from '../harness/fleet.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';
import { type Filled, fill, readEverything, untilQuiet } from './filled-fleet.ts';
import { installationOf, withClientsOf } from './installations.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tidemark-drill-'));
const backup = join(scratch, 'backup');
const say = (line: string): void => console.info(line);
/** A backup may contain a lease of credits whose job is not stored yet; it ends by expiry, which must come before the test gives up. */
const SHORT_LEASES = { LEASE_SECONDS: '20' };
let web: Awaited<ReturnType<typeof startWeb>>;
let fleet: OwnFleet;
let filled: Filled;
let busy: Workspace;
let before: ReadonlyMap<string, string>;
let manifest: Manifest;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  web = await startWeb();
  fleet = await startFleet({ env: { billing: SHORT_LEASES } });
  filled = await fill(fleet, web);
  before = await readEverything(filled);
  busy = await fleet.workspaces.make();
  const load = startLoad(busy.writer, web.url('/article'));
  await load.accepts(20);
  const startedAt = performance.now();
  manifest = await takeBackup({
    installation: installationOf(fleet),
    dir: backup,
    version: '1.0.0',
    trashHours: 24,
    say,
  });
  say(`backup under load: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  await load.accepts(20);
  await load.stop();
  await fleet.stack.stop();
}, 240_000);
afterAll(async () => {
  for (const close of closing) await close();
  await fleet.close();
  await web.close();
  rmSync(scratch, { recursive: true, force: true });
}, 60_000);

/** Restores the backup into a new data folder with the given keys. Returns the folder. */
async function restoreInto(name: string, keys: string): Promise<string> {
  const dataDir = join(scratch, name);
  await withInstallation(dataDir, keys, (installation) =>
    restoreBackup({ installation, dir: backup, servicesDir: join(ROOT, 'services'), isReplacing: false, say }),
  );
  return dataDir;
}

async function withInstallation<T>(
  dataDir: string,
  keys: string,
  run: (installation: Installation) => Promise<T>,
): Promise<T> {
  const installation = await openDataFolder(dataDir);
  try {
    return await run({ ...installation, sealingKeys: readSealingKeys(keys) });
  } finally {
    await installation.close();
  }
}

const ownKeys = (): string => sealingKeys(fleet.dataDir);

describe('a backup made under load', () => {
  it('is complete, contains no key, and verifies: every row counted, every body hashed, every named body present', async () => {
    expect(manifest.isComplete).toBe(true);
    const verified = await verifyBackup(backup);
    expect(verified.faults).toEqual([]);
    expect(verified.named).toBeGreaterThan(5);
    expect(verified.bodies).toBeGreaterThanOrEqual(verified.named);
    expect(JSON.stringify(manifest)).not.toContain(ownKeys());
  });

  it.each([
    [
      'a changed body',
      (dir: string) => appendFileSync(join(dir, 'bodies/pages-000001.pack'), 'x'),
      /pages-000001\.pack/,
    ],
    [
      'a cut pack',
      (dir: string) => truncateSync(join(dir, 'bodies/pages-000001.pack'), 1_000),
      /references [0-9a-f]{64}, which the backup lacks/,
    ],
    [
      'a lost table',
      (dir: string) => rmSync(join(dir, 'database/archive.pages.copy.zst')),
      /archive\.pages\.copy\.zst is missing/,
    ],
    [
      'a changed table',
      (dir: string) => appendFileSync(join(dir, 'database/crawl.runs.copy.zst'), 'x'),
      /crawl\.runs\.copy\.zst differs/,
    ],
  ])('does not verify with %s', async (_, damage, expected) => {
    const copy = join(scratch, 'damaged');
    cpSync(backup, copy, { recursive: true });
    damage(copy);
    expect((await verifyBackup(copy)).faults.join('\n')).toMatch(expected);
    rmSync(copy, { recursive: true });
  });

  it('leaves no partial folder', () => {
    expect(readdirSync(scratch).filter((name) => name.includes('.partial'))).toEqual([]);
  });
});

describe('a restore into an empty installation', () => {
  it('is refused without the sealing key, and names its fingerprint', async () => {
    const others = Buffer.alloc(32, 7).toString('base64');
    const [fingerprint = ''] = manifest.sealingKeys;
    await expect(restoreInto('keyless', others)).rejects.toThrow(`sealing key with the fingerprint ${fingerprint}`);
  });

  it('answers every request as before, byte for byte, and continues what was in progress, once', async () => {
    const startedAt = performance.now();
    const dataDir = await restoreInto('restored', ownKeys());
    const restoredAt = performance.now();
    const restored = await startFleet({ dataDir, ephemeral: false, env: keysOf(fleet) });
    closing.push(() => restored.close());
    const again = withClientsOf(restored, filled);
    const { status } = await again.workspace.reader.get('/me');
    const seconds = (from: number): string => ((performance.now() - from) / 1000).toFixed(1);
    say(
      `restore ${((restoredAt - startedAt) / 1000).toFixed(1)} s, start to the first response ${seconds(restoredAt)} s`,
    );
    expect(status).toBe(200);
    expect(differences(before, await readEverything(again))).toEqual([]);

    const received = new Set(web.hits('/hooks/drill').map(({ headers }) => headers['webhook-id']));
    const resumed = await again.workspace.writer.post(`/crawl/${filled.crawlId}/resume`, {});
    expect(resumed.status).toBe(200);
    await untilEnded(restored, filled.crawlId, 90_000);
    const rows = await everyRow(again.workspace.reader, filled.crawlId, 'formats=none&limit=100');
    expect(rows.map(({ url }) => url).toSorted()).toEqual(filled.crawlUrls.toSorted());

    await untilQuiet(restored);
    const credit = await creditStateOf(restored, again.workspace);
    const charges = rows.map(({ id }) => credit.ledger.filter(({ ref, kind }) => ref === id && kind === 'page').length);
    expect(new Set(charges)).toEqual(new Set([1]));
    expect(creditProblems(credit)).toEqual([]);
    const accepted = await restored.sql<{ id: string }>('SELECT id FROM scrape.jobs WHERE workspace_id = $1', [
      busy.id,
    ]);
    expect(accepted.length).toBeGreaterThanOrEqual(20);
    const load = { id: busy.id, ...clientsOf(restored, busy) };
    await expectAllWell(restored, load, { accepted: accepted.map(({ id }) => id) });
    const repeated = web.hits('/hooks/drill').map(({ headers }) => headers['webhook-id']);
    expect(repeated.filter((id) => !received.has(id))).toEqual([]);
  }, 240_000);

  it('is refused over data, unless it replaces them', async () => {
    const dataDir = join(scratch, 'restored');
    await Promise.all(closing.splice(0).map((close) => close()));
    const order = { dir: backup, servicesDir: join(ROOT, 'services'), say };
    await withInstallation(dataDir, ownKeys(), async (installation) => {
      await restoreBackup({ installation, ...order, isReplacing: false });
      await expect(restoreBackup({ installation, ...order, isReplacing: false })).rejects.toThrow(
        'expected an empty one',
      );
      await restoreBackup({ installation, ...order, isReplacing: true });
    });
  }, 120_000);
});

/** Returns how the responses of two readings differ, a line for each path. */
const differences = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] =>
  [...one].flatMap(([path, text]) => {
    const now = other.get(path) ?? '';
    const at = [...text].findIndex((character, index) => character !== now[index]);
    return text === now
      ? []
      : [`${path}: ${text.slice(Math.max(0, at - 80), at + 80)} | ${now.slice(Math.max(0, at - 80), at + 80)}`];
  });

const keysOf = ({ dataDir }: OwnFleet) => {
  const keys = { SEALING_KEYS: sealingKeys(dataDir) };
  return {
    identity: keys,
    scrape: keys,
    crawl: keys,
    projects: keys,
    export: keys,
    delivery: keys,
    billing: SHORT_LEASES,
  };
};

const clientsOf = (restored: OwnFleet, { admin, writer, reader }: Workspace) => ({
  admin: restored.api(admin.key),
  writer: restored.api(writer.key),
  reader: restored.api(reader.key),
});
