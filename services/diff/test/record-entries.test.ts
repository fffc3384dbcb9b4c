import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import type { ErrorCode } from '@tidemark/contracts/page/v1/page';
import { outgoingEvent } from '@tidemark/service';
import { callerIn, newWorkspace, until } from '@tidemark/testkit';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';
import type { FakePage } from './fake-peers.ts';

let setup: DiffTestServers;
beforeAll(async () => {
  setup = await startDiffServers();
});
afterAll(() => setup.close());
afterEach(() => {
  setup.peers.unlistedPages = 0;
  setup.peers.recaptures.clear();
});

const HOME = 'https://site.test/';
const page = (path: string, ...texts: string[]): FakePage => ({ url: `${HOME}${path}`, texts });
const site = (...more: FakePage[]): FakePage[] => [
  page('', 'Welcome to the harbour.'),
  page('tides', 'High at nine.'),
  ...more,
];

describe('entries of a record', () => {
  it('are paged, filtered and reviewed, and the review mark applies to the same change later', async () => {
    const { run, record, projectId, caller } = projectIn(setup);
    const before = Array.from({ length: 12 }, (_, i) => page(`${i}`, `Page ${i} says one thing.`));
    await run({ pages: [...site(), ...before] });
    const after = before.map(
      ({ url }, i): FakePage => ({ url, texts: [`Page ${i} says another thing, number ${i * 7}.`] }),
    );
    const { entries, record: record_ } = await run({
      pages: [...site(), ...after],
      config: { template_changes: 'each' },
    });
    expect(entries.length).toBe(12);
    const first = await record(record_?.runId ?? '', { limit: 5 });
    expect(first).toMatchObject({ isMore: true, last: 5 });
    const rest = await record(record_?.runId ?? '', { after: first.last });
    expect([...first.entries, ...rest.entries].map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
    const [one] = entries;
    const { peer } = setup.service;
    const request = { projectId, entryId: one?.id ?? '', reviewed: true };
    const reviewed = await peer.call(Rpc.reviewEntry, request, caller);
    expect(reviewed.entry).toMatchObject({ id: one?.id, reviewed: true });
    expect((await record(record_?.runId ?? '', { unreviewed: true })).entries).toHaveLength(11);
    await peer.call(Rpc.reviewEntry, { ...request, reviewed: false }, caller);
    expect((await record(record_?.runId ?? '', { unreviewed: true })).entries).toHaveLength(12);
    expect((await record(record_?.runId ?? '', { kind: 'removed' })).entries).toEqual([]);
  });

  it('are reviewed together: all of a record, those of a kind, or listed ones, and counted for the history of runs', async () => {
    const { run, record, projectId, workspaceId, caller } = projectIn(setup);
    await run({ pages: site(page('gone', 'Soon gone.')) });
    const { record: made, entries } = await run({
      pages: [page('', 'Welcome to the harbour.'), page('tides', 'High at five.'), page('new', 'New here.')],
    });
    const { peer } = setup.service;
    const runId = made?.runId ?? '';
    const all = { projectId, runId, entryIds: [], reviewed: true };
    const review = (more: object = {}) => peer.call(Rpc.reviewEntries, { ...all, ...more }, caller);
    const unreviewed = async () => (await record(runId, { unreviewed: true })).entries.length;
    expect(entries).toHaveLength(3);
    expect(await review({ kind: 'removed' })).toEqual({ runId: made?.runId, matched: 1, changed: 1 });
    expect(await unreviewed()).toBe(2);
    const ids = entries.map(({ id }) => id).slice(0, 2);
    expect(await review({ entryIds: [...ids, 'chg_unknown'] })).toMatchObject({ matched: 2 });
    expect(await review()).toMatchObject({ matched: 3 });
    expect(await unreviewed()).toBe(0);
    expect(await review({ reviewed: false })).toMatchObject({ matched: 3, changed: 3 });
    const counted = { projectId, runIds: [runId, newId('run')] };
    expect((await peer.call(Rpc.listRecordCounts, counted, caller)).records).toEqual([
      { runId: made?.runId, status: 'made', counts: made?.counts },
    ]);
    const stranger = callerIn(newWorkspace());
    expect(await peer.call(Rpc.reviewEntries, all, stranger)).toEqual({ runId: undefined, matched: 0, changed: 0 });
    expect((await peer.call(Rpc.listRecordCounts, counted, stranger)).records).toEqual([]);
    const other = callerIn(workspaceId, { projects: [newId('prj')] });
    for (const call of [peer.call(Rpc.reviewEntries, all, other), peer.call(Rpc.listRecordCounts, counted, other)])
      await expect(call).rejects.toMatchObject({ code: 'not_found' });
  });

  it('give each notification event once', async () => {
    const { run, projectId, caller } = projectIn(setup);
    await run({ pages: site(page('gone', 'Soon gone.')) });
    const { record } = await run({ pages: [page('', 'Welcome to the harbour.'), page('tides', 'High at five.')] });
    const request = { projectId, runId: record?.runId ?? '', after: 0, limit: 1 };
    const events: string[] = [];
    for (let after = 0, isMore = true; isMore; ) {
      const response = await setup.service.peer.call(Rpc.listChangeEvents, { ...request, after }, caller);
      events.push(...response.events.map(({ event, url, dataJson }) => `${event} ${url} ${JSON.parse(dataJson).kind}`));
      ({ last: after, isMore } = response);
    }
    expect(events.sort()).toEqual([`page.changed ${HOME}gone removed`, `page.changed ${HOME}tides modified`]);
  });

  it('give page.blocked when a readable page is refused, and not again until it was read', async () => {
    const { run, projectId, caller } = projectIn(setup);
    const respondedWith = (errorCode: ErrorCode): FakePage => ({
      url: `${HOME}fees`,
      row: { verdict: 'blocked', errorCode, httpStatus: 200 },
    });
    const fees = page('fees', 'Two euros a night.');
    const runs = [
      fees,
      respondedWith('CAPTCHA'),
      respondedWith('NOT_FOUND'),
      respondedWith('CAPTCHA'),
      fees,
      respondedWith('BLOCKED'),
    ];
    const verdicts: string[][] = [];
    for (const shown of runs) {
      const { record } = await run({ pages: site(shown) });
      const request = { projectId, runId: record?.runId ?? '', after: 0, limit: 10 };
      const { events } = await setup.service.peer.call(Rpc.listChangeEvents, request, caller);
      verdicts.push(
        events.filter(({ event }) => event === 'page.blocked').map(({ dataJson }) => JSON.parse(dataJson).verdict),
      );
    }
    expect(verdicts).toEqual([[], ['blocked: CAPTCHA'], [], [], [], ['blocked: BLOCKED']]);
  });

  it('are hidden from other workspaces and from keys restricted to other projects', async () => {
    const { run, projectId, workspaceId } = projectIn(setup);
    await run({ pages: site() });
    const { record, entries } = await run({
      pages: [page('', 'Welcome to the harbour.'), page('tides', 'High at ten.')],
    });
    const { peer } = setup.service;
    const request = { projectId, runId: record?.runId ?? '', after: 0, limit: 10, unreviewed: false };
    const stranger = callerIn(newWorkspace());
    expect(await peer.call(Rpc.getRecord, request, stranger)).toMatchObject({ record: undefined, entries: [] });
    const review = { projectId, entryId: entries[0]?.id ?? '', reviewed: true };
    await expect(peer.call(Rpc.reviewEntry, review, stranger)).rejects.toMatchObject({ code: 'not_found' });
    const other = callerIn(workspaceId, { projects: [newId('prj')] });
    for (const call of [
      peer.call(Rpc.getRecord, request, other),
      peer.call(Rpc.reviewEntry, review, other),
      peer.call(Rpc.listEntries, { projectId, limit: 10 }, other),
    ])
      await expect(call).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are deleted with their run, and all data with the project', async () => {
    const { run, record, workspaceId, projectId } = projectIn(setup);
    const { record: first } = await run({ pages: site() });
    const runId = first?.runId ?? '';
    await setup.bus.publish(events.runDiscarded.subject, [
      outgoingEvent(events.runDiscarded, `discarded:${runId}`, { runId, workspaceId, neededBy: '' }),
    ]);
    await until('the record to be deleted', async () => (await record(runId)).record === undefined);
    await setup.bus.publish(events.projectDeleted.subject, [
      outgoingEvent(events.projectDeleted, `deleted:${projectId}`, { projectId, workspaceId }),
    ]);
    const { sql } = setup.servers.database;
    await until(
      'the known pages to be deleted',
      async () => (await sql('SELECT FROM diff.known_pages WHERE project_id = $1', [projectId])).length === 0,
    );
  });
});
