import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ChangeRecord, Project } from '@tidemark/api';
import { recordOf } from '../harness/changes.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import type { Workspace } from '../harness/workspaces.ts';

const ADDRESS = '127.0.0.5';
const WORDS = 'the tide came in over the marsh and the gauge at the pier read higher than it had all winter '.repeat(6);
const page = (title: string, text: string, links: readonly string[] = []): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}</p><p>${WORDS}</p>` +
  `${links.map((link) => `<p><a href="${link}">to ${link}</a></p>`).join('')}</main></body></html>`;

/** Links of the home page, and the texts of the other pages; a page without text returns 404. */
let links: readonly string[] = ['/berths', '/ledger', '/ropes'];
const said = new Map([
  ['/berths', 'Berths are let by the night.'],
  ['/ledger', 'The ledger is kept in the old tower.'],
  ['/ropes', 'Ropes are sold by the yard.'],
]);

const fleet = sharedFleet();
let server: Server;
let origin: string;
let workspace: Workspace;
let project: Project;

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '/';
    const text = path === '/' ? 'Boats leave at high water.' : said.get(path);
    if (text === undefined) return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/html; charset=utf-8').end(page(path, text, path === '/' ? links : []));
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  const bound = server.address();
  origin = `http://${ADDRESS}:${typeof bound === 'object' ? bound?.port : ''}`;
  workspace = await fleet.workspaces.make();
  project = await makeProject(workspace.writer, { seed: `${origin}/` });
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await fleet.close();
});

const run = async (): Promise<ChangeRecord> => {
  const { id } = await runToEnd(workspace.writer, project.id);
  return recordOf(workspace.reader, project.id, id);
};
const entryOf = ({ entries }: ChangeRecord, path: string) => entries.find(({ url }) => url === `${origin}${path}`);

describe('pages that lost their last link', () => {
  test('that still respond are compared and reported as orphaned, those that are gone as removed; none is omitted', async () => {
    expect((await run()).coverage).toMatchObject({ reasons: ['no_baseline'] });
    links = [];
    said.set('/ledger', 'The ledger is kept in the new tower.');
    said.delete('/ropes');
    const record = await run();
    expect(record).toMatchObject({
      counts: { modified: 2, removed: 1, withheld: 0, unverified: 0 },
      coverage: { verdict: true, probed: 3 },
    });
    expect(entryOf(record, '/berths')).toMatchObject({ kind: 'same', links: 'orphaned' });
    expect(entryOf(record, '/ledger')).toMatchObject({
      kind: 'modified',
      links: 'orphaned',
      wordsAdded: 1,
      wordsRemoved: 1,
    });
    expect(entryOf(record, '/ropes')).toMatchObject({ kind: 'removed' });
  }, 120_000);

  test('are reported once: the next run finds them unchanged', async () => {
    const record = await run();
    expect(record).toMatchObject({ counts: { modified: 0, removed: 0, withheld: 0 }, entries: [] });
    links = ['/berths', '/ledger'];
  });
});

test('a configuration that selects other content causes no change entries if the HTML is stored', async () => {
  const { id } = await makeProject(workspace.writer, { seed: `${origin}/`, config: { store_html: 'always' } });
  await runToEnd(workspace.writer, id);
  const update = { config: { store_html: 'always', exclude_selectors: ['h1'] } };
  expect((await workspace.writer.patch(`/projects/${id}`, update)).status).toBe(200);
  said.set('/berths', 'Berths are let by the week.');
  const { id: runId } = await runToEnd(workspace.writer, id);
  const record = await recordOf(workspace.reader, id, runId);
  expect(record.counts).toMatchObject({ modified: 1, unverified: 0, withheld: 0 });
  expect(record.entries).toMatchObject([{ url: `${origin}/berths`, kind: 'modified', wordsAdded: 1, wordsRemoved: 1 }]);
});

describe('a project whose screenshots are switched on', () => {
  test('reports an edit made meanwhile, without what the browser adds to the page', async () => {
    const widget = `<script>document.body.insertAdjacentHTML('beforeend', '<p>Chat with our harbour team.</p>')</script>`;
    const own = createServer((request, response) => {
      if (request.url !== '/') return void response.writeHead(404).end();
      response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(page('Prices', `A berth costs ${price}.`) + widget);
    });
    let price = '€680.00';
    await new Promise<void>((resolve) => own.listen(0, ADDRESS, resolve));
    const bound = own.address();
    const seed = `http://${ADDRESS}:${typeof bound === 'object' ? bound?.port : ''}/`;
    try {
      const watched = await makeProject(workspace.writer, { seed, config: { use_sitemap: false } });
      await runToEnd(workspace.writer, watched.id);
      price = '€734.40';
      await workspace.writer.patch(`/projects/${watched.id}`, { config: { screenshot: 'viewport' } });
      const { id } = await runToEnd(workspace.writer, watched.id);
      const { counts, entries } = await recordOf(workspace.reader, watched.id, id);
      expect(counts).toMatchObject({ modified: 1, unverified: 0 });
      expect(entries[0]?.blocks.map(({ before, after }) => [before, after])).toEqual([
        ['A berth costs €680.00.', 'A berth costs €734.40.'],
      ]);
      expect(entries[0]?.fields).toEqual([]);
    } finally {
      own.closeAllConnections();
      own.close();
    }
  }, 120_000);
});
