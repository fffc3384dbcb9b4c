import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Playground } from '@tidemark/api';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

const NO_SCREENSHOT = { config: { screenshot: 'none' } };

async function preview(path: string, order: Readonly<Record<string, unknown>> = {}): Promise<Playground> {
  const { status, body } = await workspace.writer.post('/playground/extract', { url: web.url(path), ...order });
  expect({ status, body }).toMatchObject({ status: 202, body: { result: null, evidence: null } });
  const { id } = body as Playground;
  return until('the page was looked at', async () => {
    const current = (await workspace.reader.get(`/playground/${id}`)).body as Playground;
    return current.status === 'done' && current;
  });
}

describe('the playground', () => {
  test('returns every format of a page, the attempts of the fetch, and the removed parts with reasons', async () => {
    const { result, evidence, creditsUsed } = await preview('/article', NO_SCREENSHOT);
    expect(result).toMatchObject({ verdict: 'ok', tier: 'http', credits: 1 });
    expect(result?.markdown).toContain('Edda Marsh');
    expect(result?.html).toContain('<html');
    expect(result?.links).not.toEqual([]);
    expect(creditsUsed).toBe(1);
    expect(evidence?.attempts).toEqual([
      expect.objectContaining({ rung: 'http', httpStatus: 200, verdict: 'ok', exit: null, words: result?.words }),
    ]);
    expect(evidence?.attempts[0]?.headers['content-type']).toContain('text/html');
    expect(evidence?.removed.map(({ reason }) => reason)).not.toEqual([]);
    expect(evidence?.robots).toMatchObject({ allowed: true });
  });

  test('returns each rung the page was tried on', async () => {
    const { evidence, result } = await preview('/app-shell', NO_SCREENSHOT);
    expect(result).toMatchObject({ tier: 'browser', verdict: 'ok' });
    expect(evidence?.attempts.map(({ rung, errorCode }) => [rung, errorCode])).toEqual([
      ['http', 'SHELL'],
      ['browser', 'OK'],
    ]);
  });

  test('reports the limit that stopped a page that may not use a dearer rung', async () => {
    const { evidence, result } = await preview('/app-shell', { allow_browser: false });
    expect(result).toMatchObject({ verdict: 'blocked', errorCode: 'TIER_LIMIT', credits: 0 });
    expect(evidence?.halted).toBe('TIER_LIMIT');
  });

  test('does not list its jobs among the scrapes', async () => {
    const { id } = await preview('/tiny', NO_SCREENSHOT);
    expect(errorOf(await workspace.reader.get(`/scrape/${id}`))).toMatchObject({ status: 404 });
    const { job } = await workspace.writer.capture(web.url('/tiny'));
    expect(errorOf(await workspace.reader.get(`/playground/${job.id}`))).toMatchObject({ status: 404 });
    const { body } = await workspace.reader.get('/scrape?limit=1000');
    expect((body as { data: { id: string }[] }).data.map((each) => each.id)).not.toContain(id);
  });

  test('takes a screenshot without a request for one, and none without a browser or if the configuration excludes it', async () => {
    const { result: plainResult } = await preview('/tiny', { allow_browser: false });
    expect(plainResult).toMatchObject({ tier: 'http', screenshot: null });
    const { id, result } = await preview('/article');
    expect(result?.screenshot).toBe(`${fleet.url}/v1/playground/${id}/screenshot`);
    const response = await fetch(result?.screenshot ?? '', {
      headers: { authorization: `Bearer ${workspace.reader.key}` },
    });
    expect(response.headers.get('content-type')).toBe('image/jpeg');
    const [first, second] = new Uint8Array(await response.arrayBuffer());
    expect([first, second]).toEqual([0xff, 0xd8]);
    const { id: plain } = await preview('/tiny', NO_SCREENSHOT);
    expect(errorOf(await workspace.reader.get(`/playground/${plain}/screenshot`))).toMatchObject({ status: 404 });
  });
});

describe('a screenshot', () => {
  test.each(['viewport', 'full'])('%s of a scrape is a JPEG at the address its row names', async (screenshot) => {
    const { page, job } = await workspace.writer.capture(web.url('/article'), { config: { screenshot } });
    expect(page).toMatchObject({
      tier: 'browser',
      screenshot: `${fleet.url}/v1/scrape/${job.id}/screenshot?page=${page.id}`,
    });
    const response = await fetch(page.screenshot ?? '', {
      headers: { authorization: `Bearer ${workspace.reader.key}` },
    });
    expect(response.status).toBe(200);
    const [first, second] = new Uint8Array(await response.arrayBuffer());
    expect([first, second]).toEqual([0xff, 0xd8]);
  });

  test('is rejected without a browser, and the message names the setting', async () => {
    const order = { url: web.url('/article'), config: { screenshot: 'full', max_tier: 'http' } };
    expect(errorOf(await workspace.writer.post('/scrape', order))).toMatchObject({ status: 400, code: 'validation' });
  });
});
