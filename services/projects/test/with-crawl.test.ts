import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { CrawlServiceService as CrawlRpc, StartRunRequest } from '@tidemark/contracts/crawl/v1/crawl';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { fromConfigMessage, toConfigMessage, toProjectRun } from '@tidemark/project-config';
import type { Peer } from '@tidemark/service';
import { callerIn, dialAsOperator, newWorkspace, until } from '@tidemark/testkit';
import { ONE_PAGE, type ProjectsWithCrawl, projectClient, SEED, startWithCrawl } from './start-with-crawl.ts';
import { rpcClient } from './start-with-fakes.ts';

let fixture: ProjectsWithCrawl;
let crawl: Peer;
beforeAll(async () => {
  fixture = await startWithCrawl();
  crawl = fixture.servers.own(dialAsOperator('crawl', fixture.env['CRAWL_ADDR'] ?? ''));
}, 120_000);
beforeEach(() => {
  fixture.workers.isHeld = false;
  fixture.status = 200;
});
afterAll(() => fixture.close());

/** Starts a crawl without a project. */
async function startCrawl(workspaceId: string): Promise<string> {
  const run = {
    seed: SEED,
    trigger: 'crawl' as const,
    config: toConfigMessage(ONE_PAGE),
    requestHash: newId('req'),
  };
  const request = StartRunRequest.fromPartial({ ...run, ...toProjectRun(ONE_PAGE) });
  const response = await crawl.call(CrawlRpc.startRun, request, callerIn(workspaceId));
  return response.run?.id ?? '';
}

describe('keepCrawl', () => {
  it('makes the crawl the first run of the project, whether it has ended or is running', async () => {
    for (const isHeld of [false, true]) {
      const workspaceId = newWorkspace();
      const { runs, afterRun } = projectClient(fixture.service, workspaceId);
      fixture.workers.isHeld = isHeld;
      const runId = await startCrawl(workspaceId);
      if (!isHeld)
        await until('the crawl to end', async () => {
          const { run } = await crawl.call(
            CrawlRpc.getRun,
            { id: runId, withLog: false, withConfig: false },
            callerIn(workspaceId),
          );
          return run?.status === 'done';
        });
      const { call } = rpcClient(fixture.service, workspaceId);
      const { project, run } = await call(Rpc.keepCrawl, { runId, name: '', settings: undefined });
      const id = project?.id ?? '';
      expect(run).toMatchObject({ id: runId, projectId: id });
      expect(fromConfigMessage(project?.config)).toEqual(ONE_PAGE);
      expect((await runs(id)).runs.map((one) => one.id)).toEqual([runId]);
      fixture.workers.isHeld = false;
      expect(await afterRun(id, runId)).toMatchObject({ health: 'ok', lastRun: { status: 'done', pages: 1 } });
    }
  });
});

describe('a recrawl', () => {
  it('starts a separate run that does not count as a full run, and is a conflict while a run is unfinished', async () => {
    const { workspaceId, create, startRun, ended, afterRun, get, runs } = projectClient(fixture.service);
    const { call } = rpcClient(fixture.service, workspaceId);
    const { id: projectId } = await create(ONE_PAGE);
    const full = await startRun(projectId);
    await afterRun(projectId, full.id);
    fixture.workers.isHeld = true;
    const recrawl = () => call(Rpc.recrawl, { projectId, urls: [`${SEED}a`] });
    const results = await Promise.allSettled([recrawl(), recrawl(), recrawl(), recrawl()]);
    const started = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value.run?.id ?? ''] : []));
    const refused = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(started).toHaveLength(1);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'conflict' });
    await expect(recrawl()).rejects.toMatchObject({ code: 'conflict' });
    const message = expect.stringMatching(/^a re-crawl of pages of this project is queued or running/);
    await expect(startRun(projectId)).rejects.toMatchObject({ code: 'conflict', message, retryAfterSeconds: 10 });
    fixture.workers.isHeld = false;
    const finished = await ended(projectId, started[0] ?? '');
    expect(finished).toMatchObject({ trigger: 'recrawl' as const, status: 'done', done: 1 });
    expect((await call(Rpc.getPresentRun, { projectId })).run?.id).toBe(full.id);
    expect((await runs(projectId)).runs).toHaveLength(2);
    expect((await get(projectId)).lastRun?.id).toBe(full.id);
  });
});

describe('dryRun and sources', () => {
  it('use the URLs of the last full run', async () => {
    const { workspaceId, create, startRun, afterRun } = projectClient(fixture.service);
    const { call } = rpcClient(fixture.service, workspaceId);
    const { id: projectId } = await create(ONE_PAGE);
    const { id: runId } = await startRun(projectId);
    await afterRun(projectId, runId);
    const { result } = await call(Rpc.dryRun, { projectId });
    expect(result).toMatchObject({ runId, known: 1, visited: 1 });
    expect((await call(Rpc.sources, { projectId })).found).toMatchObject({ runId });
    const { log } = await call(Rpc.getRun, { projectId, runId, withLog: true });
    expect(log.map(({ what }) => what)).toEqual(expect.arrayContaining(['queued', 'started', 'finished']));
  });
});
