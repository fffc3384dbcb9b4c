import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';
import { captureId, type FakePage } from './fake-peers.ts';

let setup: DiffTestServers;
beforeAll(async () => {
  setup = await startDiffServers();
});
afterAll(() => setup.close());

const HOME = 'https://site.test/';
const page = (path: string, ...texts: string[]): FakePage => ({ url: `${HOME}${path}`, texts });
const site = (...more: FakePage[]): FakePage[] => [page('', 'Welcome to the harbour.'), ...more];

describe('DiffService.ComparePage', () => {
  it('compares two readings word by word, as data and as inert HTML', async () => {
    const { run, projectId, caller } = projectIn(setup);
    const first = await run({ pages: site(page('x', 'It costs <b>ten</b> coins.')) });
    const second = await run({ pages: site(page('x', 'It costs <b>twelve</b> coins.')) });
    const [before, after] = [first.record?.runId ?? '', second.record?.runId ?? ''];
    const url = `${HOME}x`;
    const readings = {
      projectId,
      url,
      beforeRunId: before,
      beforePageId: captureId(before, url),
      afterRunId: after,
      afterPageId: captureId(after, url),
    };
    const delta = await setup.service.peer.call(Rpc.comparePage, { readings }, caller);
    expect(delta).toMatchObject({ wordsAdded: 1, wordsRemoved: 1, degraded: false });
    const added = await setup.service.peer.call(
      Rpc.comparePage,
      { readings: { ...readings, beforePageId: '' } },
      caller,
    );
    expect([...new Set(added.blocks.map(({ op }) => op))]).toEqual(['added']);
    const removed = await setup.service.peer.call(
      Rpc.comparePage,
      { readings: { ...readings, afterPageId: '' } },
      caller,
    );
    expect([...new Set(removed.blocks.map(({ op }) => op))]).toEqual(['removed']);
    expect(delta.html).toContain('<ins>');
    expect(delta.html).not.toContain('<b>');
    await expect(setup.service.peer.call(Rpc.compareMarkup, { readings }, caller)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('store_html'),
    });
  });

  it('marks what the project has learned to be volatile', async () => {
    const { run, projectId, caller } = projectIn(setup);
    const runs: string[] = [];
    for (const word of ['amber', 'birch', 'cedar', 'delta'])
      runs.push((await run({ pages: site(page('x', `The word is ${word}.`)) })).record?.runId ?? '');
    const [beforeRunId = '', afterRunId = ''] = runs.slice(-2);
    const url = `${HOME}x`;
    const pages = { beforePageId: captureId(beforeRunId, url), afterPageId: captureId(afterRunId, url) };
    const readings = { projectId, url, beforeRunId, afterRunId, ...pages };
    const { blocks } = await setup.service.peer.call(Rpc.comparePage, { readings }, caller);
    expect(blocks).toMatchObject([{ op: 'edited', volatile: true }]);
  });
});
