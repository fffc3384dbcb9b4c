import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { findSealedBy, searchSealedBy } from '../../deploy/admin/keys/find-sealed.ts';
import { reseal } from '../../deploy/admin/keys/reseal.ts';
import { readSealingKeys } from '../../deploy/admin/keys/sealing-keys.ts';
import { writeJson } from '../../deploy/local/json-file.ts';
import { sealingKeys } from '../../deploy/local/local-keys.ts';
import { type OwnFleet, startFleet } from '../harness/fleet.ts';
import { runToEnd } from '../harness/projects.ts';
import { startWeb } from '../web/server.ts';
import { CANARY, type Filled, fill } from './filled-fleet.ts';
import { withClientsOf } from './installations.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'tidemark-keys-'));
const newKey = randomBytes(32).toString('base64');
let web: Awaited<ReturnType<typeof startWeb>>;
let fleet: OwnFleet;
let filled: Filled;
let oldKey = '';

beforeAll(async () => {
  web = await startWeb();
  fleet = await startFleet({ dataDir, ephemeral: false });
  filled = await fill(fleet, web);
  oldKey = sealingKeys(dataDir);
}, 180_000);
afterAll(async () => {
  await fleet.close();
  await web.close();
  rmSync(dataDir, { recursive: true, force: true });
}, 60_000);

/** Stops the fleet and starts it on the same data with other sealing keys. */
async function restartWith(keys: string): Promise<void> {
  await fleet.stack.stop();
  writeJson(join(dataDir, 'sealing.json'), { keys }, 0o600);
  fleet = await startFleet({ dataDir, ephemeral: false });
}

async function withDatabase<T>(run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: fleet.databaseUrl });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

const marks = () => readSealingKeys(`${newKey},${oldKey}`).fingerprints;

describe('the rotation of the sealing key', () => {
  it('seals every stored secret again with the new key while the fleet runs', async () => {
    await restartWith(`${newKey},${oldKey}`);
    const [fresh, old] = marks();
    expect((await withDatabase(findSealedBy)).some(({ fingerprint }) => fingerprint === old)).toBe(true);
    const first = await reseal(fleet.databaseUrl, readSealingKeys(`${newKey},${oldKey}`), (line) => console.info(line));
    expect(first.lost.size).toBe(0);
    expect(first.resealed).toBeGreaterThanOrEqual(5);
    expect(new Set((await withDatabase(findSealedBy)).map(({ fingerprint }) => fingerprint))).toEqual(new Set([fresh]));
    const again = await reseal(fleet.databaseUrl, readSealingKeys(`${newKey},${oldKey}`), () => undefined);
    expect(again.resealed).toBe(0);
  }, 90_000);

  it('leaves the old key in no column that outlives a job', async () => {
    const [, old = ''] = marks();
    const found = await withDatabase((client) => searchSealedBy(client, old));
    expect(found.filter(({ isLasting }) => isLasting)).toEqual([]);
    expect(found.map(({ place }) => place).filter((place) => !/\.(options|payload)$/.test(place))).toEqual([]);
  });

  it('reads everything after the old key was removed: headers, login, connection, webhook', async () => {
    await restartWith(newKey);
    const { workspace, projectId, loginId, connectionId } = withClientsOf(fleet, filled);
    const before = web.hits('/article').length;
    await runToEnd(workspace.writer, projectId);
    const hits = web.hits('/article').slice(before);
    expect(hits.length).toBeGreaterThan(0);
    expect(hits[0]?.headers['x-ticket']).toBe(CANARY);
    expect((await workspace.writer.post(`/logins/${loginId}/test`, {})).status).toBe(200);
    expect((await workspace.admin.post(`/connections/${connectionId}/test`, {})).status).toBe(200);
    expect((await workspace.writer.post(`/projects/${projectId}/webhooks/test`, {})).status).toBeLessThan(300);
  }, 90_000);

  it('reports values whose key is lost, and changes none of them', async () => {
    const other = readSealingKeys(randomBytes(32).toString('base64'));
    const { resealed, lost } = await reseal(fleet.databaseUrl, other, () => undefined);
    expect(resealed).toBe(0);
    expect([...lost.keys()]).toEqual(
      expect.arrayContaining(['projects.projects.secrets', 'export.connections.secrets', 'scrape.logins.session']),
    );
    const [fresh] = marks();
    expect(new Set((await withDatabase(findSealedBy)).map(({ fingerprint }) => fingerprint))).toEqual(new Set([fresh]));
  });
});
