import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { facts } from '@tidemark/contracts';
import type { LoginDeleted } from '@tidemark/contracts/projects/v1/events';
import { Bus, createLogger } from '@tidemark/service';
import { newWorkspace, until } from '@tidemark/testkit';
import { type FakeGround, openOnFakes } from './fake-ground.ts';
import { cookie, loginsIn } from './login-client.ts';

let ground: FakeGround;
beforeAll(async () => {
  ground = await openOnFakes();
}, 120_000);
afterAll(() => ground.close());

const client = (workspaceId?: string) => loginsIn(ground.service, workspaceId);
const NOT_FOUND = { code: 'not_found' };

/** Hears, in crawl's place, which logins are gone. */
async function hearDeleted() {
  const bus = await Bus.connect(ground.ground.nats.url, 'crawl', createLogger('test', 'silent'));
  const heard: LoginDeleted[] = [];
  bus.consume(facts.loginDeleted, 'crawl', async (batch) => {
    heard.push(...batch.map(({ fact }) => fact));
  });
  return { heard, close: () => bus.close() };
}

describe('a project that names a login', () => {
  it('is told with it; its runs are fetched with it, and say how good it is', async () => {
    const { workspaceId, save, create, startRun, login } = client();
    const { id } = await save();
    const project = await create({ login_id: id });
    expect(await login(id)).toMatchObject({ projectIds: [project.id] });
    const runId = await startRun(project.id);
    const end = (stop: string, counts: Record<string, number>, run: string, at: number) =>
      ground.finish({ runId: run, projectId: project.id, workspaceId, stop, counts, finishedAt: new Date(at) });
    await end('finished', { ok: 1 }, runId, Date.now());
    const becomes = (state: string) =>
      until(`the login to be ${state}`, async () => {
        const found = await login(id);
        return found?.state === state && found;
      });
    expect((await becomes('works')).reason).toContain(runId);
    const next = await startRun(project.id);
    await end('login_dead', { blocked: 1 }, next, Date.now() + 1);
    expect((await becomes('dead')).reason).toContain(next);
  });

  it('and runs with it, says nothing of a session that has taken its place', async () => {
    const { workspaceId, save, create, startRun, change, login, get } = client();
    const { id } = await save();
    const project = await create({ login_id: id });
    const runId = await startRun(project.id);
    await change(id, { cookies: [cookie({ value: 'another' })] });
    await ground.finish({ runId, projectId: project.id, workspaceId, stop: 'login_dead', finishedAt: new Date() });
    await until('the end of the run to be heard of', async () => (await get(project.id)).lastRun?.id === runId);
    expect(await login(id)).toMatchObject({ state: 'unknown' });
  });

  it('is refused where there is none, with the name of the setting', async () => {
    const { create, update } = client();
    const foreign = await client(newWorkspace()).save();
    const refused = { code: 'validation', httpStatus: 400, detail: [{ loc: ['body', 'config', 'login_id'] }] };
    await expect(create({ login_id: foreign.id })).rejects.toMatchObject(refused);
    const { id } = await create();
    await expect(update(id, { login_id: foreign.id })).rejects.toMatchObject(refused);
  });

  it('starts nothing once the login is gone, which is told to crawl; a run that is due is refused, and says why', async () => {
    const { workspaceId, save, create, startRun, drop, get, open } = client();
    const { id } = await save();
    const project = await create({ login_id: id });
    const told = ground.ground.own(await hearDeleted());
    await drop(id);
    await until('crawl to hear of it', () => told.heard.some(({ loginId }) => loginId === id));
    expect(told.heard).toContainEqual({ loginId: id, workspaceId });
    await expect(open(id)).rejects.toMatchObject(NOT_FOUND);
    const refused = { code: 'validation', httpStatus: 400, message: expect.stringMatching(/login_id/) };
    await expect(startRun(project.id)).rejects.toMatchObject(refused);
    await ground.sql('UPDATE projects.projects SET next_due = now() WHERE id = $1', [project.id]);
    const due = await until('the due run to be refused', async () => {
      const { lastDue } = await get(project.id);
      return lastDue?.status === 'refused' && lastDue;
    });
    expect(due.why).toMatch(/no such saved login/);
    expect(ground.crawl.started.filter(({ projectId }) => projectId === project.id)).toEqual([]);
  });
});
