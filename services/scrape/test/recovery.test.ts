import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { callerIn, captureOptions, newWorkspace, spawnService, until } from '@tidemark/testkit';
import { article, clientIn, openScrape, type ScrapeServers } from './scrape-servers.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const held = new Map<string, ServerResponse[]>();
const release = (path: string): void => {
  for (const response of held.get(path) ?? []) response.end(article('Held'));
  held.delete(path);
};

let servers: ScrapeServers;
beforeAll(async () => {
  servers = await openScrape((request, response) => {
    const path = request.url ?? '/';
    if (path === '/robots.txt') {
      response.writeHead(404).end();
      return;
    }
    response.setHeader('content-type', 'text/html');
    if (path.startsWith('/held')) held.set(path, [...(held.get(path) ?? []), response]);
    else response.end(article('Tides'));
  });
}, 120_000);
afterEach(() => {
  servers.billing.isUnavailable = false;
  servers.browsers.render = () => ({ html: article('Rendered') });
});
afterAll(() => servers.close());

const sql = <Row extends object>(text: string, values: unknown[]) => servers.database.sql<Row>(text, values);
/** Expires a job's lease, as if its owner had died. */
const silence = (id: string) =>
  sql("UPDATE scrape.jobs SET lease_until = now() - interval '1 second' WHERE id = $1 AND status = 'running'", [id]);
const charges = (captureId: string) =>
  sql<{ id: string }>('SELECT id FROM scrape.outbox WHERE id = $1', [`page:${captureId}`]);
const untilRequested = (path: string) => until(`the site to receive a request for ${path}`, () => held.has(path));

/** Starts a job whose page the site does not answer. */
async function heldJob(path: string) {
  const client = clientIn(servers);
  const { job } = await client.scrape(path, { waitMs: 50 });
  const id = job?.id ?? '';
  await untilRequested(path);
  const captureId = (await servers.rowOf(id))?.capture_id ?? '';
  return { client, id, captureId };
}

describe('job whose process dies', () => {
  it('is completed by another process after kill -9 during a fetch, with one page and one charge', async () => {
    const caller = callerIn(newWorkspace());
    const doomed = await spawnService('scrape', MAIN, servers.serviceEnv);
    const url = `${servers.site.origin}/held/killed`;
    const request = {
      url,
      options: captureOptions(),
      waitMs: 50,
      idempotencyKey: 'k',
      requestHash: 'h',
      kind: 'scrape' as const,
    };
    const { job } = await doomed.peer.call(Rpc.scrape, request, caller);
    const id = job?.id ?? '';
    await untilRequested('/held/killed');
    await doomed.kill('SIGKILL');
    held.clear();
    await silence(id);
    await until('another process claims the job and fetches again', () => held.has('/held/killed'));
    release('/held/killed');
    const client = clientIn(servers, caller.caller?.workspaceId);
    expect(await client.ended(id)).toMatchObject({ status: 'done', creditsUsed: 1, done: 1 });
    const row = await servers.rowOf(id);
    expect(row?.attempts).toBe(2);
    const charge = await until('the charge', () => servers.billing.spent.get(row?.capture_id ?? ''));
    expect(charge.credits).toBe(1);
    const again = await client.scrape('/held/killed', { idempotencyKey: 'k', requestHash: 'h' });
    expect(again).toMatchObject({ replayed: true, job: { id } });
    await doomed.close();
  });

  it('ends in error, uncharged, after every attempt has killed its process', async () => {
    const { client, id, captureId } = await heldJob('/held/poison');
    await sql(
      "UPDATE scrape.jobs SET owner = 'dead', attempts = 5, lease_until = now() - interval '1 second' WHERE id = $1",
      [id],
    );
    expect(await client.ended(id)).toMatchObject({ status: 'error', creditsUsed: 0, done: 0 });
    release('/held/poison');
    expect((await until('the lease is closed', () => servers.billing.spent.get(captureId))).credits).toBe(0);
  });
});

describe('fencing', () => {
  it('a former owner of a job changes nothing when it completes', async () => {
    const { client, id, captureId } = await heldJob('/held/fenced');
    await sql("UPDATE scrape.jobs SET owner = 'another', lease_until = now() + interval '1 hour' WHERE id = $1", [id]);
    release('/held/fenced');
    await client.scrape('/settled'); // wait for the former owner to complete
    expect(await servers.rowOf(id)).toMatchObject({ status: 'running', owner: 'another', credits: 0 });
    expect(await charges(captureId)).toEqual([]);
    expect(servers.billing.spent.has(captureId)).toBe(false);

    await silence(id);
    await untilRequested('/held/fenced');
    release('/held/fenced');
    expect(await client.ended(id)).toMatchObject({ status: 'done', creditsUsed: 1 });
  });

  it('a caller never receives "cancelled" for a job that was reassigned', async () => {
    const client = clientIn(servers);
    const waiting = client.scrape('/held/slots', { waitMs: 2_000 });
    await untilRequested('/held/slots');
    const [job] = (await client.list()).jobs;
    const id = job?.id ?? '';
    await sql("UPDATE scrape.jobs SET owner = 'another', lease_until = now() + interval '1 hour' WHERE id = $1", [id]);
    expect((await waiting).job).toMatchObject({ id, status: 'running' });
    held.delete('/held/slots');
    await client.cancel(id);
  });
});

describe('internal failure', () => {
  it('in the blob store is retried, and the page is charged once', async () => {
    const restore = await servers.breakBlobs();
    const client = clientIn(servers);
    const { job } = await client.scrape('/blobs', { waitMs: 300 });
    const id = job?.id ?? '';
    expect(job?.status).toBe('running');
    await restore();
    expect(await client.ended(id)).toMatchObject({ status: 'done', creditsUsed: 1 });
    const row = await servers.rowOf(id);
    expect(row?.attempts).toBeGreaterThan(1);
    expect((await until('the charge', () => servers.billing.spent.get(row?.capture_id ?? ''))).credits).toBe(1);
  });

  it('in the browser pool is retried', async () => {
    let refusals = 1;
    servers.browsers.render = () => (refusals-- > 0 ? 'away' : { html: article('Rendered') });
    const { job } = await clientIn(servers).scrape('/browser', { options: captureOptions({ renderJs: 'always' }) });
    expect(job).toMatchObject({ status: 'done', creditsUsed: 5 });
  });

  it('that persists ends the job in error after five attempts, uncharged', async () => {
    servers.browsers.render = () => 'away';
    const client = clientIn(servers);
    const { job } = await client.scrape('/never', { options: captureOptions({ renderJs: 'always' }), waitMs: 50 });
    const id = job?.id ?? '';
    await until('the fifth attempt', async () => {
      // Skips the backoff between attempts.
      await sql(
        "UPDATE scrape.jobs SET lease_until = now() WHERE id = $1 AND attempts < 5 AND lease_until < now() + interval '31 seconds'",
        [id],
      );
      return (await servers.rowOf(id))?.status !== 'running';
    });
    expect(await client.job(id)).toMatchObject({ status: 'error', creditsUsed: 0, error: 'every browser is busy' });
  });

  it('in billing refuses the scrape as unavailable and leaves nothing behind', async () => {
    servers.billing.isUnavailable = true;
    const client = clientIn(servers);
    await expect(client.scrape('/billing')).rejects.toMatchObject({ code: 'unavailable' });
    expect((await client.list()).jobs).toEqual([]);
  });

  it('in billing does not use up the attempts of a reassigned job', async () => {
    const client = clientIn(servers);
    const { job: seed } = await client.scrape('/seed');
    servers.billing.isUnavailable = true;
    // A job of a dead process, which no instance holds.
    const id = newId('job');
    await sql(
      `INSERT INTO scrape.jobs (id, workspace_id, capture_id, status, url, options, request_id, trace, owner, lease_until, attempts)
       SELECT $2, workspace_id, $3, 'running', replace(url, '/seed', '/held/waiting'), options, request_id, trace, 'dead', now() - interval '1 second', 1
       FROM scrape.jobs WHERE id = $1`,
      [seed?.id, id, newId('cap')],
    );
    await until('it is reassigned', async () => (await servers.rowOf(id))?.owner !== 'dead');
    await until('the attempt is returned', async () => (await servers.rowOf(id))?.attempts === 1);
    servers.billing.isUnavailable = false;
    await silence(id);
    await untilRequested('/held/waiting');
    release('/held/waiting');
    expect(await client.ended(id)).toMatchObject({ status: 'done' });
  });

  it('in the database that closes every connection loses no job', async () => {
    const { client, id } = await heldJob('/held/cut');
    await servers.database.cutConnections();
    release('/held/cut');
    await until('the job is done', async () => (await client.job(id))?.status === 'done');
    expect((await servers.rowOf(id))?.credits).toBe(1);
  });
});
