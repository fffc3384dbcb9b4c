import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PageRow } from '@tidemark/api';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { type Archetype, archetypes } from '../web/archetypes.ts';
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

/** Returns the values of the row that the archetype states. */
function said(page: PageRow, { expect: { has: _, hasNot: __, landed, redirects, signals, ...plain } }: Archetype) {
  return {
    ...Object.fromEntries(Object.keys(plain).map((key) => [key, page[key as keyof typeof plain & keyof PageRow]])),
    ...(landed === undefined ? {} : { url: page.url }),
    ...(redirects === undefined ? {} : { redirects: page.redirects.length }),
    ...(signals === undefined ? {} : { signals: signals.filter((signal) => page.signals.includes(signal)) }),
  };
}

function expected({ expect: { has: _, hasNot: __, landed, ...plain } }: Archetype) {
  return { ...plain, ...(landed === undefined ? {} : { url: web.url(...landed) }) };
}

test.each(archetypes.map((archetype) => [archetype.name, archetype] as const))(
  '%s is captured for what it is',
  async (_, archetype) => {
    const requestedUrl = web.url(archetype.path, archetype.host);
    const { page, job } = await workspace.writer.capture(requestedUrl, archetype.order);

    expect({ reason: page.reason, ...said(page, archetype) }).toEqual({ reason: page.reason, ...expected(archetype) });
    expect(page.askedUrl).toBe(requestedUrl);
    expect(page.reason).not.toBe('');
    expect(job).toMatchObject({
      status: 'done',
      creditsUsed: archetype.expect.credits,
      counts: { [archetype.expect.verdict]: 1 },
    });
    for (const text of archetype.expect.has ?? []) expect(page.markdown).toContain(text);
    for (const text of archetype.expect.hasNot ?? []) expect(page.markdown).not.toContain(text);
  },
);

test('the markdown of a PDF is its text', async () => {
  const { page } = await workspace.writer.capture(web.url('/type/pdf', 'other'));
  expect(page).toMatchObject({ verdict: 'thin', errorCode: 'OK', credits: 1 });
  expect(page.markdown).toContain('High water at six.');
  expect(page.markdown).not.toContain('endobj');
});

test('the ledger sums to the credits of the pages', async () => {
  const { body } = await workspace.reader.get('/scrape?limit=1000');
  const cost = (body as { data: { creditsUsed: number }[] }).data.reduce(
    (sum, { creditsUsed }) => sum + creditsUsed,
    0,
  );
  const settled = { remaining: 1_000 - cost, reserved: 0, usedThisMonth: cost };
  const credits = await until('every lease to be closed', async () => {
    const now = await workspace.reader.credits();
    return now.reserved === 0 && now;
  });
  expect(credits).toEqual(settled);
});

test('sites receive one documented user agent and no cookie of another job', async () => {
  const { body } = await workspace.reader.get('/meta');
  const { userAgent } = body as { userAgent: string };
  const hits = web.hits('/article').filter(({ headers }) => !headers['user-agent']?.includes('Chrom'));
  expect(hits.length).toBeGreaterThan(0);
  expect(new Set(hits.map(({ headers }) => headers['user-agent']))).toEqual(new Set([userAgent]));
  expect(hits.filter(({ headers }) => headers.cookie !== undefined)).toEqual([]);
});
