import { readdir } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { type Page, PageBodies, type PageRow } from '@tidemark/contracts/page/v1/page';
import {
  type CaptureOptions,
  FieldRule,
  RecaptureEngine,
  ScrapeServiceService as Rpc,
} from '@tidemark/contracts/scrape/v1/scrape';
import { callerIn, captureOptions, newWorkspace, pageRow } from '@tidemark/testkit';
import { openRunPageClient, type RunPageClient } from './run-page-client.ts';
import { appShell, article, openScrape, type ScrapeServers } from './scrape-servers.ts';

function site({ url = '/' }: IncomingMessage, response: ServerResponse): void {
  if (url === '/robots.txt') return void response.end('User-agent: *\nDisallow: /private');
  if (url === '/gone') return void response.writeHead(404).end();
  response.setHeader('content-type', 'text/html');
  if (url === '/moved') return void response.writeHead(301, { location: '/elsewhere' }).end();
  response.end(url === '/app' ? appShell : article(`Page ${url}`));
}

let servers: ScrapeServers;
let runs: RunPageClient;
beforeAll(async () => {
  servers = await openScrape(site);
  runs = await openRunPageClient(servers);
}, 120_000);
afterAll(() => servers?.close(), 30_000);

const watched = (more: Partial<CaptureOptions> = {}): CaptureOptions =>
  captureOptions({
    cutBlocks: true,
    fields: { title: FieldRule.fromPartial({ selector: 'h1', type: 'string' }) },
    ...more,
  });
const workspaceId = newWorkspace();
const caller = callerIn(workspaceId);

async function recapture(path: string, options = watched()): Promise<{ row: PageRow; bodies: PageBodies }> {
  const engine = RecaptureEngine.RECAPTURE_ENGINE_HTTP;
  const request = { url: runs.url(path), options, concurrency: 2, delayMs: 0, engine };
  return opened((await servers.service.peer.call(Rpc.recapture, request, caller, { deadlineMs: 30_000 })).page);
}
function opened(page: Page | undefined): { row: PageRow; bodies: PageBodies } {
  if (page?.row === undefined) throw new Error('the response has no page');
  return { row: page.row, bodies: PageBodies.decode(page.bodies) };
}
const ofRun = async (path: string, options = watched()): Promise<PageRow> =>
  runs.rowOf(await runs.runPage(workspaceId, options, { url: runs.url(path) }));

/** The fields that captures are compared by. */
const comparedIn = ({
  verdict,
  title,
  language,
  words,
  contentHash,
  comparedHash,
  blocksVersion,
  contentVariantKey,
}: PageRow) => ({
  verdict,
  title,
  language,
  words,
  contentHash,
  comparedHash,
  blocksVersion,
  contentVariantKey,
});
const filesKept = async (): Promise<number> =>
  (await readdir(servers.blobDir, { recursive: true, withFileTypes: true })).filter((one) => one.isFile()).length;

describe('recapture of a page', () => {
  it('reads it as in a run, with blocks and fields', async () => {
    const row = await ofRun('/1');
    const again = await recapture('/1');
    expect(comparedIn(again.row)).toEqual(comparedIn(row));
    expect(again.bodies.blocks).toEqual((await runs.bodiesOf(row)).blocks);
    expect(PageBlocks.decode(again.bodies.blocks ?? Buffer.alloc(0)).blocks.length).toBeGreaterThan(1);
    expect(JSON.parse(again.bodies.fieldsJson ?? '{}')).toEqual({ title: 'Page /1' });
  });

  it('is free, and stores and publishes nothing', async () => {
    const outboxRows = async () => (await servers.database.sql('SELECT FROM scrape.outbox')).length;
    const before = [await filesKept(), await outboxRows(), servers.billing.leases.size];
    const { row } = await recapture('/unseen');
    expect(row).toMatchObject({ verdict: 'ok', credits: 0, content: undefined });
    expect([await filesKept(), await outboxRows(), servers.billing.leases.size]).toEqual(before);
  });

  it('reports redirects, missing pages, and pages that robots.txt disallows', async () => {
    expect((await recapture('/moved')).row).toMatchObject({
      url: runs.url('/elsewhere'),
      askedUrl: runs.url('/moved'),
    });
    expect((await recapture('/gone')).row).toMatchObject({
      verdict: 'blocked',
      errorCode: 'NOT_FOUND',
      httpStatus: 404,
    });
    const seen = servers.site.seen.length;
    expect((await recapture('/private/1')).row).toMatchObject({ verdict: 'robots' });
    expect(servers.site.seen.length).toBe(seen);
  });

  it('reports TIER_LIMIT if only a browser would read the page, without using one', async () => {
    const unread = { verdict: 'blocked', errorCode: 'TIER_LIMIT' };
    expect((await recapture('/app')).row).toMatchObject(unread);
    const always = await recapture('/2', watched({ renderJs: 'always' }));
    expect(always.row).toMatchObject(unread);
    expect(always.row.comparedHash).toBeUndefined();
    expect((await recapture('/gone', watched({ renderJs: 'always' }))).row).toMatchObject({ errorCode: 'NOT_FOUND' });
    expect(servers.browsers.renderRequests).toEqual([]);
  });

  it('requires an http or https URL', async () => {
    const engine = RecaptureEngine.RECAPTURE_ENGINE_HTTP;
    const request = { url: 'file:///etc/passwd', options: watched(), concurrency: 1, delayMs: 0, engine };
    await expect(servers.service.peer.call(Rpc.recapture, request, caller)).rejects.toMatchObject({
      code: 'validation',
    });
  });
});

describe('stored page read by other rules', () => {
  const reread = async (page: PageRow, options: CaptureOptions) =>
    opened((await servers.service.peer.call(Rpc.rereadStored, { page, options }, caller)).page);

  it('returns what a capture by these rules would have found, without a fetch', async () => {
    const now = watched({ excludeSelectors: ['h1'] });
    const stored = await ofRun('/3', watched({ formats: ['markdown', 'rawHtml'] }));
    const fetched = await ofRun('/3', now);
    const seen = servers.site.seen.length;
    const { row, bodies } = await reread(stored, now);
    expect(comparedIn(row)).toEqual(comparedIn(fetched));
    expect(bodies.blocks).toEqual((await runs.bodiesOf(fetched)).blocks);
    expect(row.comparedHash).not.toEqual(stored.comparedHash);
    expect(servers.site.seen.length).toBe(seen);
  });

  it('returns not_found if its html is not stored', async () => {
    await expect(reread(await ofRun('/4'), watched())).rejects.toMatchObject({ code: 'not_found' });
    await expect(reread(pageRow({ id: 'cap_x' }), watched())).rejects.toMatchObject({ code: 'not_found' });
  });
});
