import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectCrawlWell } from '../faults/crawl-invariants.ts';
import { startCrawl, untilDone, untilEnded } from '../faults/crawls.ts';
import { expectAllWell, startFaultyFleet } from '../faults/invariants.ts';
import { acceptedOf, inexcusable, startLoad } from '../faults/load.ts';
import type { OwnFleet } from '../harness/fleet.ts';
import { startWeb } from '../web/server.ts';

const PAGES = 120;
const scratch = mkdtempSync(join(tmpdir(), 'tidemark-streams-'));
let web: Awaited<ReturnType<typeof startWeb>>;
let fleet: OwnFleet;

beforeAll(async () => {
  web = await startWeb();
  fleet = await startFaultyFleet();
}, 300_000);
afterAll(async () => {
  await fleet.close();
  await web.close();
  rmSync(scratch, { recursive: true, force: true });
}, 60_000);

/** Runs a crawl and captures; meanwhile NATS is killed and its data changed. Expects that all of it ends, stored and charged once. */
async function survives(
  change: (streamsDir: string) => void,
  beforeFault: () => Promise<void> = async () => undefined,
): Promise<void> {
  const { stack } = fleet;
  const workspace = await fleet.workspaces.make();
  const urls = Array.from({ length: PAGES }, (_, n) => web.url(`/article?w=${workspace.id}&n=${n}`));
  const crawl = { url: web.url('/'), crawlMode: 'list_only', concurrency: 4, delay: 15, config: { url_list: urls } };
  const id = await startCrawl(workspace.writer, crawl);
  const loaded = await fleet.workspaces.make();
  const accepted = startLoad(loaded.writer, web.url('/article'));
  await untilDone(fleet, id, PAGES / 4);
  await beforeFault();
  await untilDone(fleet, id, PAGES / 2);
  await stack.parts.nats.kill('SIGKILL');
  change(join(fleet.dataDir, 'nats/jetstream'));
  await stack.parts.nats.restart();
  await accepted.accepts(10);
  const outcomes = await accepted.stop();
  expect(inexcusable(outcomes)).toEqual({});
  await untilEnded(fleet, id, 120_000);
  const rows = await expectCrawlWell(fleet, workspace, { id });
  expect(rows.map(({ url }) => url).toSorted()).toEqual(urls.toSorted());
  await expectAllWell(fleet, loaded, { accepted: acceptedOf(outcomes) });
}

describe('JetStream under a newer database', () => {
  it('may be lost: every accepted job ends, and each page is stored and charged once', async () => {
    await survives((dir) => rmSync(dir, { recursive: true, force: true }));
  }, 240_000);

  it('may be an older copy: messages of the past are recognized, and what the copy lacks is published again', async () => {
    const copy = join(scratch, 'nats');
    const copyNow = async (): Promise<void> => {
      // Stopped for the moment of the copy, so that the copy is one that a snapshot of the volume would give.
      await fleet.stack.parts.nats.kill('SIGKILL');
      cpSync(join(fleet.dataDir, 'nats/jetstream'), copy, { recursive: true });
      await fleet.stack.parts.nats.restart();
    };
    await survives((dir) => {
      rmSync(dir, { recursive: true, force: true });
      cpSync(copy, dir, { recursive: true });
    }, copyNow);
  }, 240_000);
});
