import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import { newWorkspace, until } from '@tidemark/testkit';
import { KEEP_STEPS, type KeepStep } from './fake-crawl.ts';
import { askIn, type FakeGround, openOnFakes } from './fake-ground.ts';
import { configOf } from './projects-ground.ts';

let ground: FakeGround;
beforeAll(async () => {
  ground = await openOnFakes();
}, 120_000);
beforeEach(() => {
  ground.crawl.at = () => undefined;
});
afterAll(() => ground.close());

const client = (...more: [string?, Parameters<typeof askIn>[2]?]) => askIn(ground.service, ...more);
const keepWith = ({ ask }: ReturnType<typeof askIn>, runId: string) =>
  ask(Rpc.keepCrawl, { runId, name: 'Kept', keeping: { schedule: 'daily', retentionDays: 7 } });

const crawlAway = (step: KeepStep): void => {
  if (step === 'adopting') throw new AppError('unavailable', 'crawl is away');
};

/** A crawl somebody ran. */
function crawled(workspaceId: string, config: object = {}, more: { readonly projectId?: string } = {}): string {
  const id = newId('run');
  ground.crawl.hold(workspaceId, { id, ...more }, config);
  return id;
}

/** Whether the adoption of the run is neither done nor given up. */
const isOpen = async (runId: string): Promise<boolean> => {
  const text = 'SELECT 1 FROM projects.projects WHERE kept_run_id = $1 AND adopt_after IS NOT NULL';
  return (await ground.sql(text, [runId])).length > 0;
};

describe('a crawl that is kept', () => {
  it('becomes a project with its seed and config, without masked values, and its run in place', async () => {
    const own = client();
    const runId = crawled(own.workspaceId, { max_pages: 5, chat_url: 'https://hooks.example/***' });
    const { project, run, replayed } = await keepWith(own, runId);
    expect(replayed).toBe(false);
    expect(run).toMatchObject({ id: runId, projectId: project?.id });
    expect(project).toMatchObject({ seed: 'https://site.test/', name: 'Kept', schedule: 'daily', retentionDays: 7 });
    expect(project && configOf(project)).toEqual({ max_pages: 5 });
    expect(await isOpen(runId)).toBe(false);
  });

  it('is one project, however many ask at once, and again later', async () => {
    const own = client();
    const runId = crawled(own.workspaceId);
    const kept = await Promise.all(Array.from({ length: 6 }, () => keepWith(own, runId)));
    kept.push(await keepWith(own, runId));
    expect(new Set(kept.map(({ project }) => project?.id)).size).toBe(1);
    expect(kept.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it.each(KEEP_STEPS)(
    'is one project, its run in place, where who was asked first is killed at the step “%s”',
    async (killedAt) => {
      const own = client();
      const runId = crawled(own.workspaceId);
      const other = await ground.spawn();
      const reached = Promise.withResolvers<void>();
      const dead = Promise.withResolvers<void>();
      ground.crawl.at = (step) => {
        if (step !== killedAt) return;
        reached.resolve();
        return dead.promise;
      };
      const cutOff = keepWith(askIn(other, own.workspaceId), runId).catch((error: unknown) => error);
      await reached.promise;
      await other.kill('SIGKILL');
      ground.crawl.at = () => undefined;
      dead.resolve();
      expect(await cutOff).toMatchObject({ code: 'unavailable' });
      const { project, run, replayed } = await keepWith(own, runId);
      expect(run).toMatchObject({ id: runId, projectId: project?.id });
      expect(replayed).toBe(killedAt !== 'read');
      expect(await isOpen(runId)).toBe(false);
      const made = await ground.sql('SELECT 1 FROM projects.projects WHERE workspace_id = $1', [own.workspaceId]);
      expect(made).toHaveLength(1);
    },
  );

  it('is found by who asks again after it was cut off before the run was adopted', async () => {
    const own = client();
    const runId = crawled(own.workspaceId);
    ground.crawl.at = crawlAway;
    await expect(keepWith(own, runId)).rejects.toMatchObject({ code: 'unavailable' });
    ground.crawl.at = () => undefined;
    const { project, run, replayed } = await keepWith(own, runId);
    expect([replayed, run?.projectId]).toEqual([true, project?.id]);
    expect(await isOpen(runId)).toBe(false);
  });

  it('has its run adopted though nobody asks again', async () => {
    const own = client();
    const runId = crawled(own.workspaceId);
    ground.crawl.at = crawlAway;
    await expect(keepWith(own, runId)).rejects.toMatchObject({ code: 'unavailable' });
    ground.crawl.at = () => undefined;
    await ground.sql('UPDATE projects.projects SET adopt_after = now() WHERE kept_run_id = $1', [runId]);
    await until('the run to be adopted', async () => !(await isOpen(runId)));
    expect(ground.crawl.adopted.filter(({ id }) => id === runId)).toHaveLength(1);
  });

  it('stays a project where its run was gone in between, which is told', async () => {
    const own = client();
    const runId = crawled(own.workspaceId);
    ground.crawl.at = (step) => {
      if (step === 'adopting') ground.crawl.runs.delete(runId);
    };
    for (let i = 0; i < 2; i += 1) {
      await expect(keepWith(own, runId)).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringMatching(/^project prj_\w+ was made of this crawl, without its run/),
      });
    }
    expect(
      (await own.ask(Rpc.listProjects, { health: '', limit: 0, cursor: '', withConfig: false })).projects,
    ).toHaveLength(1);
    expect(await isOpen(runId)).toBe(false);
  });

  it('is none that is a project’s already, that is gone or another workspace’s, nor for a key that may not see all', async () => {
    const own = client();
    const taken = crawled(own.workspaceId, {}, { projectId: newId('prj') });
    await expect(keepWith(own, taken)).rejects.toMatchObject({ code: 'conflict' });
    await expect(keepWith(own, newId('run'))).rejects.toMatchObject({ code: 'not_found' });
    const runId = crawled(own.workspaceId);
    await expect(keepWith(client(newWorkspace()), runId)).rejects.toMatchObject({ code: 'not_found' });
    const restricted = client(own.workspaceId, { projects: [newId('prj')] });
    await expect(keepWith(restricted, runId)).rejects.toMatchObject({ code: 'forbidden' });
    await keepWith(own, runId);
    await expect(keepWith(restricted, runId)).rejects.toMatchObject({ code: 'not_found' });
  });
});
