import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { callerIn, newWorkspace } from '@tidemark/testkit';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';
import type { FakePage } from './fake-peers.ts';

let setup: DiffTestServers;
beforeAll(async () => {
  setup = await startDiffServers();
});
afterAll(() => setup.close());

const HOME = 'https://site.test/';
const site = (...texts: string[]): FakePage[] => [{ url: HOME, texts: ['A page about lamps', ...texts] }];
const rule = (when: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id: 'recall',
  name: 'Recall',
  when,
  initial: false,
  cooldown_minutes: 0,
  deliver: 'now',
  at: '08:00',
  ...more,
});
const RECALL = 'mentions(entry.text_added, "recall")';
const configOf = (...alerts: ReturnType<typeof rule>[]) => ({ alerts });

const matchesOf = async ({ projectId, caller }: ReturnType<typeof projectIn>, runId: string) =>
  (await setup.service.peer.call(Rpc.listAlertMatches, { projectId, runId, limit: 10 }, caller)).matches;
const preview = ({ projectId, caller }: ReturnType<typeof projectIn>, when: string, more = {}) =>
  setup.service.peer.call(
    Rpc.previewAlert,
    { projectId, when, initial: false, cooldownMinutes: 0, fieldNames: ['price'], limit: 10, ...more },
    caller,
  );

describe('alert rules of a record', () => {
  it('mark the entries that they match', async () => {
    const project = projectIn(setup);
    const config = configOf(rule(RECALL), rule('words_added > 1000', { id: 'large', name: 'Large' }));
    await project.run({ pages: site(), config });
    const { record, entries } = await project.run({ pages: site('A recall of lamps'), config });
    expect(entries.map(({ alerts }) => alerts)).toEqual([[{ id: 'recall', name: 'Recall' }]]);
    const matches = await matchesOf(project, record?.runId ?? '');
    expect(matches.map(({ alert, entry }) => [alert?.id, entry?.url, entry?.id])).toEqual([
      ['recall', HOME, entries[0]?.id],
    ]);
  });

  it('match a page once in their cooldown', async () => {
    const found = async (minutes: number) => {
      const project = projectIn(setup);
      const config = configOf(rule(RECALL, { cooldown_minutes: minutes }));
      const counts: number[] = [];
      for (const texts of [[], ['A recall'], ['A recall', 'A second recall']]) {
        const { record } = await project.run({ pages: site(...texts), config });
        counts.push((await matchesOf(project, record?.runId ?? '')).length);
      }
      return counts;
    };
    expect(await found(0)).toEqual([0, 1, 1]);
    expect(await found(60)).toEqual([0, 1, 0]);
  });

  it('match a change that a re-crawl and the next run found once', async () => {
    const project = projectIn(setup);
    const config = configOf(rule(RECALL));
    await project.run({ pages: site(), config });
    const pages = site('A recall');
    const recrawl = await project.run({ pages, config, trigger: 'recrawl' });
    const next = await project.run({ pages, config });
    expect(next.entries).toHaveLength(1);
    expect(await matchesOf(project, recrawl.record?.runId ?? '')).toHaveLength(1);
    expect(await matchesOf(project, next.record?.runId ?? '')).toHaveLength(0);
  });

  it('match what a cancelled run saw when the next run finds it', async () => {
    const project = projectIn(setup);
    const config = configOf(rule(RECALL));
    await project.run({ pages: site(), config });
    const cancelled = await project.run({ pages: site('A recall'), config, status: 'cancelled', stop: 'cancelled' });
    const next = await project.run({ pages: site('A recall'), config });
    expect(await matchesOf(project, cancelled.record?.runId ?? '')).toHaveLength(0);
    expect(await matchesOf(project, next.record?.runId ?? '')).toHaveLength(1);
  });

  it('do not hold up a record for longer than their limit', async () => {
    const project = projectIn(setup);
    const slow = 'entry.blocks.exists(a, entry.blocks.exists(b, (a.after + b.after).matches("(x+x+)+y")))';
    const config = configOf(rule(slow, { id: 'slow' }), rule(RECALL));
    const texts = Array.from({ length: 200 }, (_, at) => `${at} ${'x'.repeat(200)}`);
    await project.run({ pages: site(), config });
    const { record, entries } = await project.run({ pages: site('A recall', ...texts), config });
    expect(record?.status).toBe('made');
    expect(entries[0]?.alerts.map(({ id }) => id)).toContain('recall');
  });

  it('are listed for their workspace alone', async () => {
    const project = projectIn(setup);
    const config = configOf(rule(RECALL));
    await project.run({ pages: site(), config });
    const { record } = await project.run({ pages: site('A recall'), config });
    const other = { requestId: newId('req'), caller: callerIn(newWorkspace()).caller };
    const request = { projectId: project.projectId, runId: record?.runId ?? '', limit: 10 };
    expect((await setup.service.peer.call(Rpc.listAlertMatches, request, other)).matches).toEqual([]);
  });
});

describe('DiffService.PreviewAlert', () => {
  it('evaluates a rule over all stored records, newest first', async () => {
    const project = projectIn(setup);
    for (const texts of [[], ['A recall'], ['A recall'], ['A recall', 'A new recall']])
      await project.run({ pages: site(...texts) });
    const found = await preview(project, RECALL);
    expect(found).toMatchObject({ matched: 2, sent: 2, dismissed: 0, records: 2, entries: 2, isCut: false, failed: 0 });
    expect(found.matches.map(({ entry }) => entry?.blocks.map(({ after }) => after))).toEqual([
      [expect.stringContaining('new recall')],
      ['A recall'],
    ]);
    expect((await preview(project, RECALL, { cooldownMinutes: 60 })).sent).toBe(1);
  });

  it('counts the matches that have a review mark', async () => {
    const project = projectIn(setup);
    await project.run({ pages: site() });
    const { entries } = await project.run({ pages: site('A recall') });
    const mark = { projectId: project.projectId, entryId: entries[0]?.id ?? '', reviewed: true };
    await setup.service.peer.call(Rpc.reviewEntry, mark, project.caller);
    expect(await preview(project, RECALL)).toMatchObject({ matched: 1, dismissed: 1 });
  });

  it.each([
    ['words_added >', 'line 1'],
    ['fields.prise.after < 3', 'there is no member prise; known: price (line 1, column 7)'],
    ['pages.url == ""', 'there is no variable pages'],
  ])('refuses %s with the place of the fault', async (when, reason) => {
    await expect(preview(projectIn(setup), when)).rejects.toThrow(reason);
  });

  it('states for how many changes the rule could not be evaluated', async () => {
    const project = projectIn(setup);
    await project.run({ pages: site() });
    await project.run({ pages: site('More') });
    expect(await preview(project, 'product.price.after < 3')).toMatchObject({
      matched: 0,
      failed: 1,
      failure: expect.stringContaining('null'),
    });
  });
});
