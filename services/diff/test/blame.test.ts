import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type BlamePageResponse, DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { callerIn, newWorkspace } from '@tidemark/testkit';
import { pageKeys } from '@tidemark/web-url';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';
import type { FakePage } from './fake-peers.ts';

const PAGE = 'https://site.test/terms';
const TIDE = 'The tide gauge at the north pier is read every ten minutes.';
const FEE = 'A berth for one night costs twelve crowns and includes water.';

let setup: DiffTestServers;
beforeAll(async () => {
  setup = await startDiffServers();
});
afterAll(() => setup.close());

/** Returns a project with a run for each list of texts of its page, and the requests about it. */
async function projectOf(...versions: readonly (readonly string[])[]) {
  const { run, projectId, caller } = projectIn(setup);
  const runIds: string[] = [];
  const add = async (texts: readonly string[], more: Partial<FakePage> = {}): Promise<string> => {
    const { record } = await run({ pages: [{ url: PAGE, texts, ...more }] });
    runIds.push(record?.runId ?? '');
    return record?.runId ?? '';
  };
  for (const texts of versions) await add(texts);
  const request = { projectId, urlKeys: pageKeys(PAGE) };
  const blame = (at?: Date): Promise<BlamePageResponse> =>
    setup.service.peer.call(Rpc.blamePage, { ...request, ...(at === undefined ? {} : { at }) }, caller);
  const deleteStored = () =>
    setup.servers.database.sql('DELETE FROM diff.page_blames WHERE project_id = $1', [projectId]);
  return { add, runIds, blame, deleteStored, request };
}

const originsOf = ({ versions, blocks }: BlamePageResponse) =>
  blocks.map(({ origin, lastEdit }) => [versions[origin]?.runId, versions[lastEdit]?.runId]);

describe('DiffService.BlamePage', () => {
  it('states for each block the version in which it appeared and was last edited', async () => {
    const { runIds, blame } = await projectOf([TIDE], [TIDE, FEE], [TIDE, FEE.replace('twelve', 'fourteen')]);
    const response = await blame();
    expect(originsOf(response)).toEqual([
      [runIds[0], runIds[0]],
      [runIds[1], runIds[2]],
    ]);
    const words = response.blocks[1]?.words ?? [];
    expect(words.map(({ text }) => text).join('')).toBe(FEE.replace('twelve', 'fourteen'));
    expect(words.filter(({ version }) => version === 2)).toEqual([{ text: ' fourteen', version: 2 }]);
  });

  it('continues the stored history with the new versions alone, and equals one that is computed again', async () => {
    const { add, blame, deleteStored } = await projectOf([TIDE], [TIDE, FEE]);
    await blame();
    await add([FEE, TIDE.replace('ten', 'five')]);
    setup.peers.loadedCaptures.length = 0;
    const continued = await blame();
    expect(new Set(setup.peers.loadedCaptures).size).toBe(2);
    await deleteStored();
    expect(await blame()).toEqual(continued);
  });

  it('is that of an earlier version at a time, and leaves the stored history as it is', async () => {
    const { runIds, blame } = await projectOf([TIDE], [TIDE, FEE]);
    const newest = await blame();
    const earlier = await blame(newest.versions[0]?.since);
    expect([earlier.version, originsOf(earlier)]).toEqual([0, [[runIds[0], runIds[0]]]]);
    setup.peers.loadedCaptures.length = 0;
    expect(await blame()).toEqual(newest);
    expect(new Set(setup.peers.loadedCaptures).size).toBe(1);
    await expect(blame(new Date(0))).rejects.toMatchObject({ code: 'before_history' });
  });

  it('keeps the dates of deleted versions that it has computed, without their runs', async () => {
    const { runIds, blame, deleteStored } = await projectOf([TIDE], [TIDE, FEE]);
    const before = await blame();
    setup.peers.deletedRuns.add(runIds[0] ?? '');
    const after = await blame();
    expect(after.versions.map(({ since, runId, isAtLeast }) => [since, runId, isAtLeast])).toEqual([
      [before.versions[0]?.since, undefined, false],
      [before.versions[1]?.since, runIds[1], false],
    ]);
    expect(after.blocks).toEqual(before.blocks);
    await deleteStored();
    const again = await blame();
    expect(again.versions).toMatchObject([{ runId: runIds[1], isAtLeast: true }]);
    expect(originsOf(again)).toEqual([
      [runIds[1], runIds[1]],
      [runIds[1], runIds[1]],
    ]);
  });

  it('compares the versions of one language, and a version in another one changes no date', async () => {
    const { add, runIds, blame } = await projectOf([TIDE, FEE]);
    await add(['Le marégraphe du môle nord est relevé toutes les dix minutes.'], { row: { language: 'fr' } });
    await add([TIDE, FEE]);
    expect(
      originsOf(await blame())
        .flat()
        .every((run) => run === runIds[0]),
    ).toBe(true);
  });

  it('is not found for a project that the key may not see, or in another workspace', async () => {
    const { request } = await projectOf([TIDE]);
    const other = newWorkspace();
    for (const caller of [callerIn(other), callerIn(other, { projects: ['prj_01j5xq2w8se6fa7t0a6q1n3k2m'] })])
      await expect(setup.service.peer.call(Rpc.blamePage, request, caller)).rejects.toMatchObject({
        code: 'not_found',
      });
  });
});
