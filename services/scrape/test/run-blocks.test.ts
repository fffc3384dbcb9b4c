import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { PageFormat, PageRow } from '@tidemark/contracts/page/v1/page';
import { type CaptureOptions, FieldRule } from '@tidemark/contracts/scrape/v1/scrape';
import { BLOCKS_VERSION } from '@tidemark/page-reader';
import { captureOptions, newWorkspace } from '@tidemark/testkit';
import { openRunPageClient, type RunPageClient } from './run-page-client.ts';
import { article, openScrape, type ScrapeServers } from './scrape-servers.ts';

/** Pages that never change, except for a counter. */
let views = 0;
function site({ url = '/', headers }: IncomingMessage, response: ServerResponse): void {
  if (url === '/robots.txt' || url === '/gone') return void response.writeHead(404).end();
  response.setHeader('content-type', 'text/html');
  response.setHeader('etag', '"1"');
  if (headers['if-none-match'] === '"1"') return void response.writeHead(304).end();
  views += 1;
  const notice = url === '/7' ? '<p>All prices include tax, and every lantern can be returned.</p>' : '';
  response.end(article('Tides').replace('</main>', `${notice}<p>Seen <b class="views">${views}</b> times</p></main>`));
}

let servers: ScrapeServers;
let runs: RunPageClient;
beforeAll(async () => {
  servers = await openScrape(site);
  runs = await openRunPageClient(servers);
}, 120_000);
afterAll(() => servers?.close(), 30_000);

const field = (selector: string) => FieldRule.fromPartial({ selector, type: 'string' });
const watched = (more: Partial<CaptureOptions> = {}): CaptureOptions =>
  captureOptions({
    cutBlocks: true,
    volatileSelectors: { selectors: ['.views', '::broken'] },
    fields: { title: field('h1'), price: field('.price') },
    includeSelectors: [],
    ...more,
  });
const blocksOf = async (row: PageRow): Promise<Block[]> =>
  PageBlocks.decode((await runs.bodiesOf(row)).blocks ?? Buffer.alloc(0)).blocks;
/** The fields of a row that captures are compared by. */
const comparedIn = ({ contentHash, comparedHash, blocksVersion, matched, contentVariantKey }: PageRow) => ({
  contentHash,
  comparedHash,
  blocksVersion,
  matched,
  contentVariantKey,
});

describe('page of a run with comparison', () => {
  const workspaceId = newWorkspace();
  const page = async (path: string, options = watched(), earlier?: PageRow): Promise<PageRow> => {
    const order = earlier === undefined ? {} : { earlier };
    return runs.rowOf(await runs.runPage(workspaceId, options, { url: runs.url(path), ...order }));
  };

  it('stores its blocks with its bodies, and their hashes in its row', async () => {
    const row = await page('/1');
    expect(comparedIn(row)).toEqual({
      contentHash: expect.any(Buffer),
      comparedHash: expect.any(Buffer),
      blocksVersion: BLOCKS_VERSION,
      matched: { fields: ['title'], include: [] },
      contentVariantKey: expect.stringMatching(/^[\w-]{27}$/),
    });
    const blocks = await blocksOf(row);
    expect(blocks.map(({ text }) => text)).toEqual(['Tides', expect.any(String), 'Seen', String(views), 'times']);
    expect(blocks.map(({ isVolatile = false }) => isVolatile)).toEqual([false, false, false, true, false]);
    expect(row.warnings.filter((warning) => warning.includes('volatile_selectors'))).toHaveLength(1);
  });

  it('has blocks only if requested, and never for a refusal', async () => {
    const unasked = await page('/2', watched({ cutBlocks: undefined }));
    const refused = await page('/gone');
    expect(refused.verdict).toBe('blocked');
    for (const row of [unasked, refused]) {
      expect(row.contentHash ?? row.comparedHash ?? row.blocksVersion ?? row.matched).toBeUndefined();
    }
    expect((await runs.bodiesOf(unasked)).blocks).toBeUndefined();
    expect(unasked.contentVariantKey).toBeUndefined();
  });

  it('has the same hashes after the blocks that repeat over the site were learned, which are left out of its text', async () => {
    const options = watched({ formats: ['text'], excludeSelectors: ['.views'], onlyMainContent: true });
    const event = await runs.runPage(workspaceId, options, { url: runs.url('/7') });
    const repeatedBlocks = event.blockKeys.subarray(-4);
    const again = await runs.runPage(workspaceId, options, { url: runs.url('/7'), repeatedBlocks });
    const [first, second] = [await runs.rowOf(event), await runs.rowOf(again)];
    expect(comparedIn(second)).toEqual(comparedIn(first));
    expect(again.blockKeys).toEqual(event.blockKeys);
    const textOf = async (row: PageRow) => (await runs.bodiesOf(row)).text ?? '';
    expect((await textOf(second)).length).toBeLessThan((await textOf(first)).length);
  });

  it('keeps the blocks of the earlier capture if the site answers 304', async () => {
    const first = await page('/3');
    const still = await page('/3', watched(), first);
    expect(still).toMatchObject({ httpStatus: 304, content: first.content });
    expect(comparedIn(still)).toEqual(comparedIn(first));
    expect(await blocksOf(still)).toHaveLength(5);
  });

  it('keeps the blocks of the earlier capture if the archive returns it', async () => {
    const first = await page('/4');
    servers.archive.earlier = first;
    const requestsBefore = servers.site.requestCount('/4');
    const stored = await page('/4', watched({ maxAgeSeconds: 600 }));
    servers.archive.earlier = undefined;
    expect(servers.site.requestCount('/4')).toBe(requestsBefore);
    expect(stored.verdict).toBe('cached');
    expect(comparedIn(stored)).toEqual(comparedIn(first));
  });

  it('is fetched completely if the earlier capture has no blocks, blocks by other rules, or other volatile blocks', async () => {
    const uncut = await page('/5', watched({ cutBlocks: undefined, volatileSelectors: undefined }));
    const options = watched({ volatileSelectors: undefined });
    const cut = await page('/5', options, uncut);
    expect(cut.httpStatus).toBe(200);
    const outdated = { ...cut, blocksVersion: BLOCKS_VERSION + 1 };
    expect((await page('/5', options, outdated)).httpStatus).toBe(200);
    expect((await page('/5', watched(), cut)).httpStatus).toBe(200);
    servers.archive.earlier = uncut;
    expect((await page('/5', { ...options, maxAgeSeconds: 600 })).httpStatus).toBe(200);
    servers.archive.earlier = undefined;
    expect((await page('/5', watched({ cutBlocks: undefined, volatileSelectors: undefined }), cut)).httpStatus).toBe(
      304,
    );
  });

  it('has the same hash as long as nothing that is compared changes, whatever formats are stored', async () => {
    const [one, other] = [await page('/6'), await page('/6', watched({ formats: ['links'] }))];
    expect(one.comparedHash).not.toEqual(other.comparedHash);
    const options = (formats: PageFormat[]) => watched({ formats, excludeSelectors: ['.views'] });
    const [first, second] = [await page('/6', options(['markdown'])), await page('/6', options(['cleanHtml']))];
    expect(comparedIn(first)).toEqual(comparedIn(second));
    expect(first.contentVariantKey).toBe(one.contentVariantKey);
  });
});
