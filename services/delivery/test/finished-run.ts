import { events } from '@tidemark/contracts';
import type { ChangeEvent } from '@tidemark/contracts/diff/v1/diff';
import type { RunTrigger } from '@tidemark/contracts/job/v1/job';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import { newWorkspace } from '@tidemark/testkit';
import { type FakeRun, HOOK } from './fake-peers.ts';
import { ids, type NotificationServers } from './notification-servers.ts';

const COUNTS = { added: 0, removed: 0, modified: 2, same: 5, withheld: 0, unverified: 0, skipped: 0, machineRead: 0 };
export const RECORD: FakeRun['record'] = {
  counts: { ...COUNTS, fields: 0, selectorBreaks: 0, volatileBlocks: 0 },
  baselineRunId: 'run_before',
  coverage: {
    verdict: true,
    complete: true,
    reasons: [],
    known: 7,
    read: 7,
    unread: 0,
    probed: 0,

    baselineComplete: true,
    outOfScope: 0,
    estimate: undefined,
  },
};

export const changed = (place: number, data: Readonly<Record<string, unknown>> = {}): ChangeEvent => ({
  event: 'page.changed',
  url: `https://site.test/${place}`,
  entryId: `entry_${place}`,
  dataJson: JSON.stringify({
    kind: 'modified',
    fields: [],
    wordsAdded: 3,
    wordsRemoved: 2,
    section: 'News',
    volatile: false,
    ...data,
  }),
});
export const other = (event: string, data: Readonly<Record<string, unknown>> = {}): ChangeEvent => ({
  event,
  url: 'https://site.test/x',
  entryId: 'entry_x',
  dataJson: JSON.stringify(data),
});

/** A project and a finished run with its record. */
export function projectOn(
  on: NotificationServers,
  channels: Partial<Channels> = {},
  run: Partial<FakeRun> = {},
  workspace = newWorkspace(),
) {
  const { projectId, runId, workspaceId } = { ...ids(), workspaceId: workspace };
  const add = (id = runId, made = run): void => {
    on.peers.workspaces.set(id, workspaceId);
    on.peers.runs.set(id, { record: RECORD, changeEvents: [], ...made });
  };
  on.peers.workspaces.set(projectId, workspaceId);
  on.peers.channels.set(projectId, { seed: 'https://site.test/', webhookUrl: HOOK, ...channels });
  add();
  const finish = (id = runId, trigger: RunTrigger = 'schedule') =>
    on.publish(events.runFinished, `finished:${id}:${Math.random()}`, {
      runId: id,
      workspaceId,
      projectId,
      trigger,
      status: 'done',
      stop: 'finished',

      finishedAt: new Date(),
      pages: 7,
      counts: { ok: 7 },
      creditsUsed: 7,
      hasCoverage: true,
    });
  const ready = (id = runId) =>
    on.publish(events.changeReady, `ready:${id}:${Math.random()}`, {
      runId: id,
      workspaceId,
      projectId,
      baselineRunId: 'run_before',
      counts: {},
      isVerdict: true,
      reasons: [],
      madeAt: new Date(),
    });
  return { workspaceId, projectId, runId, add, finish, ready };
}
