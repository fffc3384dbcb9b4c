import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { type KeyOptions, newWorkspace, until } from '@tidemark/testkit';
import { type ProjectsWithFakes, rpcClient, startWithFakes } from './start-with-fakes.ts';

let fixture: ProjectsWithFakes;
beforeAll(async () => {
  fixture = await startWithFakes();
}, 120_000);
afterEach(() => {
  fixture.scrape.isUnavailable = false;
});
afterAll(() => fixture.close());

const REFUSED = { code: 'not_found', detail: [{ loc: ['body', 'config', 'login_id'] }] };

/** A workspace with saved logins. */
function client(workspaceId?: string, key?: KeyOptions) {
  const own = rpcClient(fixture.service, workspaceId, key);
  return {
    ...own,
    save: (): string => {
      const id = newId('lgn');
      fixture.scrape.logins.set(id, own.workspaceId);
      return id;
    },
    startRun: async (projectId: string) => (await own.call(Rpc.startRun, { projectId, trigger: 'api' })).run?.id ?? '',
    projectsNaming: async (...loginIds: string[]) => (await own.call(Rpc.listLoginProjects, { loginIds })).logins,
    startedIn: (projectId: string) => fixture.crawl.started.filter((run) => run.projectId === projectId),
  };
}

describe('a project that names a login', () => {
  it('is listed with the login, and its runs are recorded with the login before they start', async () => {
    const { save, create, startRun, projectsNaming, startedIn } = client();
    const id = save();
    const project = await create({ login_id: id });
    expect(await projectsNaming(id)).toEqual([{ loginId: id, projectIds: [project.id] }]);
    const runId = await startRun(project.id);
    expect(fixture.scrape.runLogins.get(runId)).toBe(id);
    expect(startedIn(project.id)).toMatchObject([{ runId, options: { loginId: id } }]);
  });

  it('is refused if there is no such login, with the name of the setting', async () => {
    const { create, update } = client();
    const foreign = client(newWorkspace()).save();
    await expect(create({ login_id: foreign })).rejects.toMatchObject(REFUSED);
    const { id } = await create();
    await expect(update(id, { login_id: foreign })).rejects.toMatchObject(REFUSED);
  });

  it('starts no run after the login was deleted; a due run is refused with the reason', async () => {
    const { save, create, startRun, get, startedIn } = client();
    const id = save();
    const project = await create({ login_id: id });
    fixture.scrape.logins.delete(id);
    const refused = { code: 'not_found', message: expect.stringMatching(/login_id/) };
    await expect(startRun(project.id)).rejects.toMatchObject(refused);
    await fixture.sql('UPDATE projects.projects SET next_due = now() WHERE id = $1', [project.id]);
    const due = await until('the due run to be refused', async () => {
      const { lastDue } = await get(project.id);
      return lastDue?.status === 'refused' && lastDue;
    });
    expect(due.why).toMatch(/no such saved login/);
    expect(startedIn(project.id)).toEqual([]);
  });

  it('is neither saved nor run while scrape cannot be reached; a due run is started later', async () => {
    const { save, create, startRun, get, update, startedIn } = client();
    const id = save();
    const project = await create({ login_id: id });
    fixture.scrape.isUnavailable = true;
    await expect(create({ login_id: id })).rejects.toMatchObject({ code: 'unavailable' });
    await expect(update(project.id, { login_id: id })).rejects.toMatchObject({ code: 'unavailable' });
    await expect(startRun(project.id)).rejects.toMatchObject({ code: 'unavailable' });
    await fixture.sql(`UPDATE projects.projects SET next_due = now(), schedule = 'hourly' WHERE id = $1`, [project.id]);
    await until(
      'the due run to be postponed',
      async () => (await get(project.id)).lastDue?.why !== undefined && (await get(project.id)).lastDue?.why !== '',
    );
    expect(startedIn(project.id)).toEqual([]);
    fixture.scrape.isUnavailable = false;
    const due = await until('the due run to be started', async () => {
      const { lastDue } = await get(project.id);
      return lastDue?.status === 'started' && lastDue;
    });
    expect(fixture.scrape.runLogins.get(due.runId ?? '')).toBe(id);
    expect(startedIn(project.id)).toMatchObject([{ runId: due.runId }]);
  });
});

describe('a key that is for some projects', () => {
  it('lists the logins that its projects name, and may name no other in its config', async () => {
    const all = client();
    const [named, hidden] = [all.save(), all.save()];
    const [mine, other] = [await all.create({ login_id: named }), await all.create({ login_id: named })];
    await all.create({ login_id: hidden });
    const some = client(all.workspaceId, { projects: [mine.id] });
    expect(await some.projectsNaming()).toEqual([{ loginId: named, projectIds: [mine.id] }]);
    expect(await some.projectsNaming(hidden)).toEqual([]);
    const [found] = await all.projectsNaming(named);
    expect(found?.projectIds.toSorted()).toEqual([mine.id, other.id].toSorted());
    await expect(some.update(mine.id, { login_id: hidden })).rejects.toMatchObject({ code: 'not_found' });
    await some.update(mine.id, { login_id: named, max_pages: 3 });
  });
});

describe('the health of a site whose run stopped with login_dead', () => {
  const end = (project: { id: string }, workspaceId: string, runId: string, at: number) =>
    fixture.finish({
      runId,
      projectId: project.id,
      workspaceId,
      stop: 'login_dead',
      counts: { blocked: 1 },
      finishedAt: new Date(at),
    });

  it('is failing if the login still exists, and unchanged if the login was deleted', async () => {
    const { workspaceId, save, create, startRun, get } = client();
    const [kept, deleted] = [save(), save()];
    const [failing, unchanged] = [await create({ login_id: kept }), await create({ login_id: deleted })];
    const [dead, stopped] = [await startRun(failing.id), await startRun(unchanged.id)];
    fixture.scrape.logins.delete(deleted);
    await end(failing, workspaceId, dead, Date.now());
    await end(unchanged, workspaceId, stopped, Date.now());
    await until('both end events to be handled', async () => {
      const projects = await Promise.all([get(failing.id), get(unchanged.id)]);
      return projects.every(({ lastRun }) => lastRun?.stop === 'login_dead');
    });
    expect(await get(failing.id)).toMatchObject({ health: 'failing', lastRun: { id: dead } });
    expect(await get(unchanged.id)).toMatchObject({ health: 'never', lastRun: { id: stopped } });
  });

  it('is updated once scrape can be reached again', async () => {
    const { workspaceId, save, create, startRun, get } = client();
    const project = await create({ login_id: save() });
    const runId = await startRun(project.id);
    const refused = fixture.scrape.refused;
    fixture.scrape.isUnavailable = true;
    await end(project, workspaceId, runId, Date.now());
    await until('the event to fail', () => fixture.scrape.refused > refused);
    expect(await get(project.id)).toMatchObject({ health: 'never' });
    fixture.scrape.isUnavailable = false;
    await until('the site to be failing', async () => (await get(project.id)).health === 'failing');
  });
});
