import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { LoginDeleted } from '@tidemark/contracts/scrape/v1/events';
import { Bus, createLogger, outgoingEvent } from '@tidemark/service';
import { until } from '@tidemark/testkit';
import { cookie, loginsIn, openSessions } from './login-client.ts';
import { article, openScrape, type ScrapeServers } from './scrape-servers.ts';

const NOT_FOUND = { code: 'not_found' };

const PAGES = {
  works: [200, article('Members only')],
  dead: [
    200,
    '<h1>Log in</h1><form action="/session"><input type="email" name="mail"><input type="password" name="password"><button>Log in</button></form>',
  ],
  unknown: [503, '<h1>Service unavailable</h1>'],
} as const;

let servers: ScrapeServers;
let sessions: ReturnType<typeof openSessions>;
let bus: Bus;
/** What the site answers; undefined: it does not answer. */
let shows: keyof typeof PAGES | undefined = 'works';
beforeAll(async () => {
  servers = await openScrape((request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else if (shows !== undefined) response.writeHead(PAGES[shows][0]).end(PAGES[shows][1]);
  });
  sessions = servers.own(openSessions(servers));
  bus = servers.own(await Bus.connect(servers.nats.url, 'crawl', createLogger('test', 'silent')));
}, 120_000);
beforeEach(() => {
  shows = 'works';
});
afterAll(() => servers?.close());

function client(workspaceId?: string, key?: Parameters<typeof loginsIn>[2]) {
  const logins = loginsIn(servers, workspaceId, key);
  return { ...logins, open: (id: string) => sessions.open(logins.workspaceId, id) };
}

describe('a login that runs use', () => {
  const finish = async (workspaceId: string, runId: string, more: Partial<RunFinished>): Promise<void> => {
    const event = RunFinished.fromPartial({ runId, workspaceId, trigger: 'api', status: 'done', ...more });
    await bus.publish(events.runFinished.subject, [outgoingEvent(events.runFinished, `finished:${runId}`, event)]);
  };

  it('has the state that the end of the latest run shows', async () => {
    const { workspaceId, save, recordRun, loginOfRun, login } = client();
    const { id } = await save();
    const becomes = (state: string) =>
      until(`the login to be ${state}`, async () => {
        const found = await login(id);
        return found?.state === state && found;
      });
    const [first, next] = [newId('run'), newId('run')];
    await recordRun(id, first);
    expect(await loginOfRun(first)).toBe(id);
    const at = Date.now();
    await finish(workspaceId, first, { stop: 'finished', counts: { ok: 1 }, finishedAt: new Date(at) });
    expect((await becomes('works')).reason).toContain(first);
    await recordRun(id, next);
    await finish(workspaceId, next, {
      stop: 'login_dead',
      counts: { blocked: 1 },
      finishedAt: new Date(at + 1),
    });
    expect((await becomes('dead')).reason).toContain(next);
  });

  it('keeps its state if the session was replaced after the run started', async () => {
    const { workspaceId, save, recordRun, change, login } = client();
    const [{ id }, other] = [await save(), await save()];
    const [runId, later] = [newId('run'), newId('run')];
    await recordRun(id, runId);
    await recordRun(other.id, later);
    await change(id, { cookies: [cookie({ value: 'another' })] });
    await finish(workspaceId, runId, { stop: 'login_dead', finishedAt: new Date() });
    await finish(workspaceId, later, { stop: 'login_dead', finishedAt: new Date() });
    await until('the later event to be handled', async () => (await login(other.id))?.state === 'dead');
    expect(await login(id)).toMatchObject({ state: 'unknown' });
  });

  it('is deleted with its runs, and the deletion is published to crawl', async () => {
    const { workspaceId, save, recordRun, loginOfRun, drop, open } = client();
    const { id } = await save();
    const runId = newId('run');
    await recordRun(id, runId);
    const deleted: LoginDeleted[] = [];
    bus.consume(events.loginDeleted, 'crawl', async (batch) => {
      deleted.push(...batch.map(({ event }) => event));
    });
    await drop(id);
    await until('the event', () => deleted.some(({ loginId }) => loginId === id));
    expect(deleted).toContainEqual({ loginId: id, workspaceId });
    expect(await open(id)).toBeUndefined();
    expect(await loginOfRun(runId)).toBeUndefined();
    await expect(recordRun(id, newId('run'))).rejects.toMatchObject(NOT_FOUND);
  });
});
