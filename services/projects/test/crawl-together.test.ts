import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { toProjectRun } from '@tidemark/api';
import { newId } from '@tidemark/contracts';
import { CrawlServiceService as CrawlRpc, StartRunRequest } from '@tidemark/contracts/crawl/v1/crawl';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { dial, type Peer } from '@tidemark/service';
import { callerIn, newWorkspace, until } from '@tidemark/testkit';
import { askIn } from './fake-ground.ts';
import { clientIn, ONE_PAGE, openProjects, type ProjectsGround, SEED } from './projects-ground.ts';

let ground: ProjectsGround;
let crawl: Peer;
beforeAll(async () => {
  ground = await openProjects();
  crawl = ground.ground.own(dial('crawl', ground.env['CRAWL_ADDR'] ?? ''));
}, 120_000);
beforeEach(() => {
  ground.workers.isHeld = false;
  ground.status = 200;
});
afterAll(() => ground.close());

/** A crawl without a project, begun. */
async function crawlOnce(workspaceId: string): Promise<string> {
  const order = { seed: SEED, trigger: 'crawl', configJson: JSON.stringify(ONE_PAGE), requestHash: newId('req') };
  const asked = StartRunRequest.fromPartial({ ...order, ...toProjectRun(ONE_PAGE) });
  const { run } = await crawl.call(CrawlRpc.startRun, asked, callerIn(workspaceId));
  return run?.id ?? '';
}

describe('a crawl that is kept', () => {
  it('is its project’s first run, whether it has ended or is under way', async () => {
    for (const isHeld of [false, true]) {
      const workspaceId = newWorkspace();
      const { runs, heard } = clientIn(ground.service, workspaceId);
      ground.workers.isHeld = isHeld;
      const runId = await crawlOnce(workspaceId);
      if (!isHeld)
        await until('the crawl to end', async () => {
          const { run } = await crawl.call(
            CrawlRpc.getRun,
            { id: runId, withLog: false, withConfig: false },
            callerIn(workspaceId),
          );
          return run?.status === 'done';
        });
      const { ask } = askIn(ground.service, workspaceId);
      const { project, run } = await ask(Rpc.keepCrawl, { runId, name: '', keeping: undefined });
      const id = project?.id ?? '';
      expect(run).toMatchObject({ id: runId, projectId: id });
      expect(JSON.parse(project?.configJson ?? '')).toEqual(ONE_PAGE);
      expect((await runs(id)).runs.map((one) => one.id)).toEqual([runId]);
      ground.workers.isHeld = false;
      expect(await heard(id, runId)).toMatchObject({ health: 'ok', lastRun: { status: 'done', pages: 1 } });
    }
  }, 60_000);
});

describe('a recrawl', () => {
  it('is a run of its own that never stands for the site, and a conflict while one is under way', async () => {
    const { workspaceId, create, startRun, ended, heard, get, runs } = clientIn(ground.service);
    const { ask } = askIn(ground.service, workspaceId);
    const { id: projectId } = await create(ONE_PAGE);
    const full = await startRun(projectId);
    await heard(projectId, full.id);
    ground.workers.isHeld = true;
    const recrawl = () => ask(Rpc.recrawl, { projectId, urls: [`${SEED}a`] });
    const outcomes = await Promise.allSettled([recrawl(), recrawl(), recrawl(), recrawl()]);
    const started = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value.run?.id ?? ''] : []));
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(started).toHaveLength(1);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'conflict' });
    await expect(recrawl()).rejects.toMatchObject({ code: 'conflict' });
    ground.workers.isHeld = false;
    const ends = await ended(projectId, started[0] ?? '');
    expect(ends).toMatchObject({ trigger: 'recrawl', status: 'done', done: 1 });
    const wish = { projectId, status: '', limit: 10, cursor: '' };
    const whole = await ask(Rpc.listRuns, { ...wish, fullOnly: true });
    expect(whole.runs.map(({ id }) => id)).toEqual([full.id]);
    expect((await runs(projectId)).runs).toHaveLength(2);
    expect((await get(projectId)).lastRun?.id).toBe(full.id);
  }, 60_000);
});

describe('what a project would do', () => {
  it('is judged by what its last full run knows', async () => {
    const { workspaceId, create, startRun, heard } = clientIn(ground.service);
    const { ask } = askIn(ground.service, workspaceId);
    const { id: projectId } = await create(ONE_PAGE);
    const { id: runId } = await startRun(projectId);
    await heard(projectId, runId);
    const { result } = await ask(Rpc.dryRun, { projectId, configJson: '' });
    expect(result).toMatchObject({ runId, known: 1, visited: 1 });
    expect((await ask(Rpc.sources, { projectId })).found).toMatchObject({ runId });
    const { log } = await ask(Rpc.getRun, { projectId, runId, withLog: true });
    expect(log.map(({ what }) => what)).toEqual(expect.arrayContaining(['queued', 'started', 'finished']));
  }, 60_000);
});
