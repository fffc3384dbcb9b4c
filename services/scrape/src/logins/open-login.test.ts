import { describe, expect, it } from '@jest/globals';
import { SessionCookie } from '@tidemark/contracts/scrape/v1/logins';
import type { LoginReach } from './login.ts';
import { LoginDeletions } from './login-deletions.ts';
import type { OpenSession } from './login-sessions.ts';
import { makeOpenLogin } from './open-login.ts';

/** Sessions that are read this way, and the reads so far. */
function sessionsOf(read: () => Promise<readonly SessionCookie[] | undefined>) {
  const reads: { id: string; workspaceId: string }[] = [];
  const open = async ({ workspaceId }: LoginReach, id: string): Promise<OpenSession | undefined> => {
    reads.push({ id, workspaceId });
    const cookies = await read();
    return cookies === undefined
      ? undefined
      : { site: 'site.example', frontPage: 'https://site.example/', version: 1, cookies };
  };
  return { sessions: { open }, reads };
}

const cookies = [SessionCookie.fromPartial({ name: 'sid', value: 'secret', domain: 'site.example', path: '/' })];

describe('openLogin', () => {
  it('reads a login once for concurrent and later pages, and again after a second', async () => {
    let nowMs = 1;
    const { sessions, reads } = sessionsOf(async () => cookies);
    const open = makeOpenLogin(sessions, new LoginDeletions(), () => nowMs);
    const [first, second] = await Promise.all([open('ws_1', 'login_1'), open('ws_1', 'login_1')]);
    nowMs = 1_000;
    await open('ws_1', 'login_1');
    expect(first).toBe(second);
    expect(first).toEqual({ cookies, edition: expect.any(String) });
    expect(reads).toEqual([{ id: 'login_1', workspaceId: 'ws_1' }]);
    nowMs = 1_002;
    expect((await open('ws_1', 'login_1'))?.edition).toBe(first?.edition);
    expect(reads).toHaveLength(2);
  });

  it('reads a login again as soon as it is reported as deleted', async () => {
    const { sessions, reads } = sessionsOf(async () => (reads.length > 1 ? undefined : cookies));
    const deletions = new LoginDeletions();
    const open = makeOpenLogin(sessions, deletions, () => 1);
    await open('ws_1', 'login_1');
    deletions.report({ workspaceId: 'ws_1', loginId: 'login_2' });
    deletions.report({ workspaceId: 'ws_2', loginId: 'login_1' });
    expect(await open('ws_1', 'login_1')).toMatchObject({ cookies });
    expect(reads).toHaveLength(1);
    deletions.report({ workspaceId: 'ws_1', loginId: 'login_1' });
    expect(await open('ws_1', 'login_1')).toBeUndefined();
  });

  it('reads each login of each workspace separately', async () => {
    const { sessions, reads } = sessionsOf(async () => cookies);
    const open = makeOpenLogin(sessions, new LoginDeletions());
    await open('ws_1', 'login_1');
    await open('ws_2', 'login_1');
    await open('ws_1', 'login_2');
    expect(reads).toHaveLength(3);
  });

  it('returns undefined if every cookie has expired', async () => {
    const { sessions } = sessionsOf(async () => []);
    expect(await makeOpenLogin(sessions, new LoginDeletions())('ws_1', 'login_1')).toBeUndefined();
  });

  it('returns undefined for a login that does not exist, and reads it again next time', async () => {
    const { sessions, reads } = sessionsOf(async () => undefined);
    const open = makeOpenLogin(sessions, new LoginDeletions());
    expect(await open('ws_1', 'login_1')).toBeUndefined();
    expect(await open('ws_1', 'login_1')).toBeUndefined();
    expect(reads).toHaveLength(2);
  });

  it('rejects if the login cannot be read, and reads it again next time', async () => {
    let isDown = true;
    const failure = new Error('the database cannot be reached');
    const { sessions } = sessionsOf(() => (isDown ? Promise.reject(failure) : Promise.resolve(cookies)));
    const open = makeOpenLogin(sessions, new LoginDeletions());
    await expect(open('ws_1', 'login_1')).rejects.toBe(failure);
    isDown = false;
    expect(await open('ws_1', 'login_1')).toMatchObject({ cookies });
  });
});
