import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import { newWorkspace, until } from '@tidemark/testkit';
import { KEEP_STEPS, type KeepStep } from './fake-crawl.ts';
import { configOf } from './start-with-crawl.ts';
import { type ProjectsWithFakes, rpcClient, startWithFakes } from './start-with-fakes.ts';

let fixture: ProjectsWithFakes;
beforeAll(async () => {
  fixture = await startWithFakes();
}, 120_000);
beforeEach(() => {
  fixture.crawl.onStep = () => undefined;
});
afterAll(() => fixture.close());

const client = (...more: [string?, Parameters<typeof rpcClient>[2]?]) => rpcClient(fixture.service, ...more);
const keepAs = ({ call }: ReturnType<typeof rpcClient>, runId: string) =>
  call(Rpc.keepCrawl, { runId, name: 'Kept', settings: { schedule: 'daily', retentionDays: 7 } });

const adoptionFails = (step: KeepStep): void => {
  if (step === 'adopting') throw new AppError('unavailable', 'crawl cannot be reached');
};

/** Adds a crawl without a project. */
function addCrawl(workspaceId: string, config: object = {}, more: { readonly projectId?: string } = {}): string {
  const id = newId('run');
  fixture.crawl.add(workspaceId, { id, ...more }, config);
  return id;
}

/** Whether the adoption of the run is pending. */
const isPending = async (runId: string): Promise<boolean> => {
  const text = 'SELECT 1 FROM projects.projects WHERE kept_run_id = $1 AND adoption_lease_until IS NOT NULL';
  return (await fixture.sql(text, [runId])).length > 0;
};

describe('keepCrawl', () => {
  it('makes a project with the crawl’s seed, config and secrets, and adopts its run', async () => {
    const own = client();
    const runId = addCrawl(own.workspaceId, { max_pages: 5, webhook_url: 'https://site.test/in?token=canary' });
    const { project, run, replayed } = await keepAs(own, runId);
    expect(replayed).toBe(false);
    expect(run).toMatchObject({ id: runId, projectId: project?.id });
    expect(project).toMatchObject({ seed: 'https://site.test/', name: 'Kept', schedule: 'daily', retentionDays: 7 });
    expect(project && configOf(project)).toEqual({ max_pages: 5, webhook_url: 'https://site.test/in?token=***' });
    const { channels } = await own.call(Rpc.openChannels, { projectId: project?.id ?? '' });
    expect(channels?.webhookUrl).toBe('https://site.test/in?token=canary');
    expect(await isPending(runId)).toBe(false);
  });

  it('makes one project for concurrent and repeated requests', async () => {
    const own = client();
    const runId = addCrawl(own.workspaceId);
    const kept = await Promise.all(Array.from({ length: 6 }, () => keepAs(own, runId)));
    kept.push(await keepAs(own, runId));
    expect(new Set(kept.map(({ project }) => project?.id)).size).toBe(1);
    expect(kept.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it.each(KEEP_STEPS)(
    'makes one project with its run if the first instance is killed at the step “%s”',
    async (killedAt) => {
      const own = client();
      const runId = addCrawl(own.workspaceId);
      const other = await fixture.spawn();
      const reached = Promise.withResolvers<void>();
      const killed = Promise.withResolvers<void>();
      fixture.crawl.onStep = (step) => {
        if (step !== killedAt) return;
        reached.resolve();
        return killed.promise;
      };
      const interrupted = keepAs(rpcClient(other, own.workspaceId), runId).catch((error: unknown) => error);
      await reached.promise;
      await other.kill('SIGKILL');
      fixture.crawl.onStep = () => undefined;
      killed.resolve();
      expect(await interrupted).toMatchObject({ code: 'unavailable' });
      const { project, run, replayed } = await keepAs(own, runId);
      expect(run).toMatchObject({ id: runId, projectId: project?.id });
      expect(replayed).toBe(killedAt !== 'read');
      expect(await isPending(runId)).toBe(false);
      const created = await fixture.sql('SELECT 1 FROM projects.projects WHERE workspace_id = $1', [own.workspaceId]);
      expect(created).toHaveLength(1);
    },
  );

  it('adopts the run in a repeated request after the adoption failed', async () => {
    const own = client();
    const runId = addCrawl(own.workspaceId);
    fixture.crawl.onStep = adoptionFails;
    await expect(keepAs(own, runId)).rejects.toMatchObject({ code: 'unavailable' });
    fixture.crawl.onStep = () => undefined;
    const { project, run, replayed } = await keepAs(own, runId);
    expect([replayed, run?.projectId]).toEqual([true, project?.id]);
    expect(await isPending(runId)).toBe(false);
  });

  it('adopts the run later without a repeated request', async () => {
    const own = client();
    const runId = addCrawl(own.workspaceId);
    fixture.crawl.onStep = adoptionFails;
    await expect(keepAs(own, runId)).rejects.toMatchObject({ code: 'unavailable' });
    fixture.crawl.onStep = () => undefined;
    await fixture.sql('UPDATE projects.projects SET adoption_lease_until = now() WHERE kept_run_id = $1', [runId]);
    await until('the run to be adopted', async () => !(await isPending(runId)));
    // An attempt whose response is lost is repeated, for the same project.
    const adopted = fixture.crawl.adopted.filter(({ id }) => id === runId);
    expect(new Set(adopted.map(({ projectId }) => projectId)).size).toBe(1);
  });

  it('keeps the project if the run was deleted before its adoption, and reports that', async () => {
    const own = client();
    const runId = addCrawl(own.workspaceId);
    fixture.crawl.onStep = (step) => {
      if (step === 'adopting') fixture.crawl.runs.delete(runId);
    };
    for (let i = 0; i < 2; i += 1) {
      await expect(keepAs(own, runId)).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringMatching(/^project prj_\w+ was made of this crawl, without its run/),
      });
    }
    expect((await own.call(Rpc.listProjects, { limit: 1_000, cursor: '', withConfig: false })).projects).toHaveLength(
      1,
    );
    expect(await isPending(runId)).toBe(false);
  });

  it('refuses runs of projects, missing runs, runs of another workspace and keys with an allow-list', async () => {
    const own = client();
    const taken = addCrawl(own.workspaceId, {}, { projectId: newId('prj') });
    await expect(keepAs(own, taken)).rejects.toMatchObject({ code: 'conflict' });
    await expect(keepAs(own, newId('run'))).rejects.toMatchObject({ code: 'not_found' });
    const runId = addCrawl(own.workspaceId);
    await expect(keepAs(client(newWorkspace()), runId)).rejects.toMatchObject({ code: 'not_found' });
    const restricted = client(own.workspaceId, { projects: [newId('prj')] });
    await expect(keepAs(restricted, runId)).rejects.toMatchObject({ code: 'forbidden' });
    await keepAs(own, runId);
    await expect(keepAs(restricted, runId)).rejects.toMatchObject({ code: 'not_found' });
  });
});
