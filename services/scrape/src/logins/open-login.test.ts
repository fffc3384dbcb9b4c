import { describe, expect, it } from '@jest/globals';
import { type OpenLoginRequest, ProjectsServiceService } from '@tidemark/contracts/projects/v1/projects';
import { SessionCookie } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { makeOpenLogin } from './open-login.ts';

/** A peer that answers so, and what it was asked. */
function projects(answer: () => Promise<SessionCookie[]>) {
  const asked: (OpenLoginRequest & { workspaceId: string | undefined })[] = [];
  const peer: Peer = {
    service: 'projects',
    ready: async () => undefined,
    close: async () => undefined,
    async call(method, request, { caller }: CallContext) {
      expect(method.path).toBe(ProjectsServiceService.openLogin.path);
      const { id } = ProjectsServiceService.openLogin.requestDeserialize(method.requestSerialize(request));
      asked.push({ id, workspaceId: caller?.workspaceId });
      const bytes = ProjectsServiceService.openLogin.responseSerialize({ cookies: await answer() });
      return method.responseDeserialize(bytes);
    },
  };
  return { peer, asked };
}

const cookies = [SessionCookie.fromPartial({ name: 'sid', value: 'secret', domain: 'site.example', path: '/' })];

describe('opening a saved login', () => {
  it('asks once for all pages that need it, and again after half a minute', async () => {
    let nowMs = 1;
    const { peer, asked } = projects(async () => cookies);
    const open = makeOpenLogin(peer, () => nowMs);
    const [first, second] = await Promise.all([open('ws_1', 'login_1'), open('ws_1', 'login_1')]);
    nowMs = 30_000;
    await open('ws_1', 'login_1');
    expect(first).toBe(second);
    expect(first).toEqual({ cookies, edition: expect.any(String) });
    expect(asked).toEqual([{ id: 'login_1', workspaceId: 'ws_1' }]);
    nowMs = 30_002;
    expect((await open('ws_1', 'login_1'))?.edition).toBe(first?.edition);
    expect(asked).toHaveLength(2);
  });

  it('asks for each workspace and each login by itself', async () => {
    const { peer, asked } = projects(async () => cookies);
    const open = makeOpenLogin(peer);
    await open('ws_1', 'login_1');
    await open('ws_2', 'login_1');
    await open('ws_1', 'login_2');
    expect(asked).toHaveLength(3);
  });

  it('tells one that is gone, and looks again the next time', async () => {
    const { peer, asked } = projects(() => Promise.reject(new AppError('not_found', 'there is no such login')));
    const open = makeOpenLogin(peer);
    expect(await open('ws_1', 'login_1')).toBeUndefined();
    expect(await open('ws_1', 'login_1')).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it('that fails is a fault of ours, never one that is gone, and is not remembered', async () => {
    let isAway = true;
    const away = new AppError('unavailable', 'projects can’t be reached');
    const { peer } = projects(() => (isAway ? Promise.reject(away) : Promise.resolve(cookies)));
    const open = makeOpenLogin(peer);
    await expect(open('ws_1', 'login_1')).rejects.toBe(away);
    isAway = false;
    expect(await open('ws_1', 'login_1')).toMatchObject({ cookies });
  });
});
