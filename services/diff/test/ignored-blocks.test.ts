import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { type IgnoredBlock, IgnoredReason, DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { callerIn, newWorkspace } from '@tidemark/testkit';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';
import { captureId, type FakePage } from './fake-peers.ts';

let setup: DiffTestServers;
beforeAll(async () => {
  setup = await startDiffServers();
});
afterAll(() => setup.close());

const HOME = 'https://site.test/';
const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord'];
/** A site of three pages, each with a block that differs from run to run. */
const site = (at: number): FakePage[] =>
  ['', 'a', 'b'].map((path) => ({
    url: `${HOME}${path}`,
    texts: [`About ${path}`],
    boxed: [`Word of ${path}: ${WORDS[at]}`],
  }));

/** Runs a project until the blocks are learned; returns the last record. */
async function learnedProject() {
  const project = projectIn(setup);
  for (const at of [0, 1, 2]) await project.run({ pages: site(at) });
  return { ...project, last: await project.run({ pages: site(3) }) };
}

describe('DiffService.ListIgnoredBlocks', () => {
  it('lists what the record counts, page by page without a gap, with both texts', async () => {
    const { projectId, caller, last } = await learnedProject();
    const count = last.record?.counts['volatileBlocks'] ?? 0;
    const runId = last.record?.runId ?? '';
    expect([last.record?.counts['modified'], count]).toEqual([0, 3]);
    const listed: IgnoredBlock[] = [];
    for (let after = 0, isMore = true; isMore; ) {
      const page = await setup.service.peer.call(Rpc.listIgnoredBlocks, { projectId, runId, after, limit: 1 }, caller);
      expect(page.runId).toBe(runId);
      listed.push(...page.blocks);
      ({ last: after, isMore } = page);
    }
    expect(listed.map(({ position }) => position)).toEqual([1, 2, 3]);
    expect(listed.map(({ url, before, after }) => [url, before, after])).toEqual(
      ['', 'a', 'b'].map((path) => [`${HOME}${path}`, `Word of ${path}: cedar`, `Word of ${path}: delta`]),
    );
    expect(listed[0]).toMatchObject({
      id: expect.stringMatching(/^ign_/),
      reason: IgnoredReason.IGNORED_REASON_CHANGED_IN_THREE_COMPARISONS,
      since: expect.any(Date),
      comparisons: 3,
      changed: 3,
    });
  });

  it('lists those of one page, under either scheme and with or without a trailing slash', async () => {
    const { projectId, caller, last } = await learnedProject();
    const runId = last.record?.runId ?? '';
    for (const url of [`${HOME}a`, 'http://site.test/a/']) {
      const { blocks } = await setup.service.peer.call(
        Rpc.listIgnoredBlocks,
        { projectId, runId, url, after: 0, limit: 10 },
        caller,
      );
      expect(blocks.map((block) => block.url)).toEqual([`${HOME}a`]);
    }
    const none = { projectId, runId, url: `${HOME}elsewhere`, after: 0, limit: 10 };
    expect((await setup.service.peer.call(Rpc.listIgnoredBlocks, none, caller)).blocks).toEqual([]);
  });

  it('returns no run for a run without a record', async () => {
    const { projectId, caller } = projectIn(setup);
    const { runId, blocks } = await setup.service.peer.call(
      Rpc.listIgnoredBlocks,
      { projectId, runId: newId('run'), after: 0, limit: 10 },
      caller,
    );
    expect([runId, blocks]).toEqual([undefined, []]);
  });
});

describe('a decision in the configuration of a run', () => {
  it('makes its record and its comparisons report the place', async () => {
    const { projectId, caller, run, last } = await learnedProject();
    const list = { projectId, runId: last.record?.runId ?? '', url: `${HOME}a`, after: 0, limit: 10 };
    const [block] = (await setup.service.peer.call(Rpc.listIgnoredBlocks, list, caller)).blocks;
    const config = { template_changes: 'each', volatile_overrides: [{ place: block?.place, ignore: false }] };
    const next = await run({ pages: site(4), config });
    // The three pages have one template.
    expect(next.record?.counts).toMatchObject({ modified: 3, volatileBlocks: 0 });
    const [beforeRunId = '', afterRunId = ''] = [last.record?.runId, next.record?.runId];
    const url = `${HOME}a`;
    const pages = { beforePageId: captureId(beforeRunId, url), afterPageId: captureId(afterRunId, url) };
    const readings = { projectId, url, beforeRunId, afterRunId, ...pages };
    const { blocks } = await setup.service.peer.call(Rpc.comparePage, { readings }, caller);
    expect(blocks).toMatchObject([{ op: 'edited', volatile: false }]);
  });
});

describe('DiffService.GetIgnoredBlock', () => {
  it('returns a block to its workspace only', async () => {
    const { projectId, caller, last } = await learnedProject();
    const list = { projectId, runId: last.record?.runId ?? '', after: 0, limit: 1 };
    const [block] = (await setup.service.peer.call(Rpc.listIgnoredBlocks, list, caller)).blocks;
    const request = { projectId, id: block?.id ?? '' };
    const found = await setup.service.peer.call(Rpc.getIgnoredBlock, request, caller);
    expect(found.block).toEqual(block);
    for (const [wrong, by] of [
      [request, callerIn(newWorkspace())],
      [{ ...request, id: 'ign_none' }, caller],
      [{ ...request, projectId: projectIn(setup).projectId }, caller],
    ] as const)
      await expect(setup.service.peer.call(Rpc.getIgnoredBlock, wrong, by)).rejects.toMatchObject({
        code: 'not_found',
      });
  });
});
