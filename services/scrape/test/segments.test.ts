import { readdirSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openBlobs } from '@tidemark/blobs';
import { ScrapeServiceService as Rpc, ScrapeRequest } from '@tidemark/contracts/scrape/v1/scrape';
import { callerIn, captureOptions, newWorkspace, spawnService, until } from '@tidemark/testkit';
import pg from 'pg';
import { article, clientIn, openScrape, type ScrapeServers } from './scrape-servers.ts';

const MAIN = resolve(import.meta.dirname, '../src/main.ts');
const SEGMENT_HEADER_BYTES = 16;

let servers: ScrapeServers;
let env: Readonly<Record<string, string>>;
const held = new Map<string, ServerResponse[]>();
const release = (path: string): void => {
  for (const response of held.get(path) ?? []) response.end(article('Held'));
  held.delete(path);
};
beforeAll(async () => {
  servers = await openScrape((request, response) => {
    const path = request.url ?? '/';
    if (path === '/robots.txt') return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    if (path.startsWith('/held')) held.set(path, [...(held.get(path) ?? []), response]);
    else response.end(article('Tides'));
  });
  await servers.service.close();
  // As in production: no layout is given, and the folder has segments.
  env = { ...servers.serviceEnv, BLOB_URL: servers.env['BLOB_URL'] ?? '' };
}, 120_000);
afterAll(() => servers.close());

/** Returns the bytes of the entries of all segments. */
const segmentBytes = (): number => {
  const folder = join(servers.blobDir, 'segments');
  const names = readdirSync(folder).filter((name) => name.endsWith('.seg'));
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size - SEGMENT_HEADER_BYTES, 0);
};

it('stores a page in a segment, and completes the job of a process that was killed between the body and the row', async () => {
  const doomed = await spawnService('scrape', MAIN, env);
  const workspaceId = newWorkspace();
  const url = `${servers.site.origin}/held/body`;
  const request = ScrapeRequest.fromPartial({
    url,
    options: captureOptions(),
    waitMs: 50,
    kind: 'scrape',
  });
  const { job } = await doomed.peer.call(Rpc.scrape, request, callerIn(workspaceId));
  const id = job?.id ?? '';
  await until('the site to receive the request', () => held.has('/held/body'));

  const lock = new pg.Client({ connectionString: servers.database.url });
  await lock.connect();
  await lock.query('BEGIN');
  await lock.query('SELECT id FROM scrape.jobs WHERE id = $1 FOR UPDATE', [id]);
  release('/held/body');
  await until('the body to be in a segment', () => segmentBytes() > 0);
  await doomed.kill('SIGKILL');
  // Postgres completes a statement whose client is gone, so the statements that wait for the lock are ended first.
  const waiting =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await lock.query(waiting);
  await lock.query('ROLLBACK');
  await lock.end();
  expect(await servers.rowOf(id)).toMatchObject({ status: 'running' });
  const bytes = segmentBytes();

  servers.service = await servers.replica(env);
  await servers.database.sql("UPDATE scrape.jobs SET lease_until = now() - interval '1 second' WHERE id = $1", [id]);
  await until('another process to fetch the page again', () => held.has('/held/body'));
  release('/held/body');
  expect(await clientIn(servers, workspaceId).ended(id)).toMatchObject({ status: 'done', creditsUsed: 1 });

  const blobs = openBlobs(env['BLOB_URL'] ?? '');
  const bodies: string[] = [];
  for await (const sha256 of blobs.list()) bodies.push((await blobs.get(sha256)).toString('utf8'));
  expect(bodies.join()).toContain('pelican breakwater');
  await blobs.close();
  expect(bytes).toBeGreaterThan(0);
}, 90_000);

it('returns a stored page from its segment to a process that did not write it', async () => {
  const client = clientIn(servers);
  const url = `${servers.site.origin}/stored`;
  const { page } = await client.scrapeAt(servers.service, url);
  const other = await servers.replica(env);
  const blobs = openBlobs(env['BLOB_URL'] ?? '');
  expect(await blobs.get(page?.row?.content?.sha256 ?? '')).toEqual(page?.bodies);
  await blobs.close();
  await other.close();
});
