import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events } from '@tidemark/contracts';
import { Bus, createLogger, outgoingEvent } from '@tidemark/service';
import { until } from '@tidemark/testkit';
import { type ProjectsWithFakes, rpcClient, startWithFakes } from './start-with-fakes.ts';

let fixture: ProjectsWithFakes;
let bus: Bus;
beforeAll(async () => {
  fixture = await startWithFakes();
  bus = fixture.servers.own(await Bus.connect(fixture.servers.nats.url, 'test', createLogger('test', 'silent')));
}, 120_000);
afterAll(() => fixture.close());

/** Publishes the state of a workspace as identity does, and waits until it is stored. */
async function publishState(workspaceId: string, state: 'active' | 'suspended', version: number): Promise<void> {
  const at = new Date();
  const own = { workspaceId, version, state, parentId: '', plan: 'scale', cap: 0, isWelcome: false, suspendedAt: at };
  const event = outgoingEvent(events.workspaceChanged, `workspace:${workspaceId}:${version}`, { snapshot: own, at });
  await bus.publish(events.workspaceChanged.subject, [event]);
  await until('the state to be stored', async () => {
    const stored = 'SELECT FROM projects.workspace_states WHERE workspace_id = $1 AND version = $2';
    return (await fixture.sql(stored, [workspaceId, version])).length === 1;
  });
}

/** Makes a project due now. @returns why its run was not started; empty: it was started */
async function makeDue(projectId: string): Promise<string> {
  await fixture.sql(`DELETE FROM projects.due_runs WHERE project_id = $1`, [projectId]);
  await fixture.sql(
    `UPDATE projects.projects SET schedule = 'hourly', next_due = now() - interval '1 second' WHERE id = $1`,
    [projectId],
  );
  const ended = `SELECT why FROM projects.due_runs WHERE project_id = $1 AND status <> 'starting'`;
  const [row] = await until('the due run to be decided', async () => {
    const rows = await fixture.sql<{ why: string }>(ended, [projectId]);
    return rows.length === 1 ? rows : undefined;
  });
  return row?.why ?? '';
}

describe('a scheduled run', () => {
  it('that is due while its workspace is suspended is skipped with the reason, and the next one after the suspension starts', async () => {
    const { workspaceId, create } = rpcClient(fixture.service);
    const { id } = await create();
    const startedRuns = () => fixture.crawl.started.filter(({ projectId }) => projectId === id).length;
    await publishState(workspaceId, 'suspended', 1);
    expect(await makeDue(id)).toContain('suspended');
    expect(startedRuns()).toBe(0);
    await publishState(workspaceId, 'active', 2);
    expect(await makeDue(id)).toBe('');
    expect(startedRuns()).toBe(1);
  });
});
