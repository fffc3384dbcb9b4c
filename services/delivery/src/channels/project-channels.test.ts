import { describe, expect, it } from '@jest/globals';
import { channelsOf, webhookOf } from '../../test/sending-servers.ts';
import { cacheChannels } from './project-channels.ts';

/** Channels whose address holds the number of calls so far, on a clock that the test moves. */
function cachedProjects() {
  const at = { ms: 0, isUnavailable: false, times: 0 };
  const open = async (workspaceId: string) => {
    at.times += 1;
    if (at.isUnavailable) throw new Error('unavailable');
    return channelsOf(webhookOf(`https://${workspaceId}.test/${at.times}`));
  };
  const { fresh, recent } = cacheChannels(open, () => at.ms);
  const urlOf = async (channels: ReturnType<typeof recent>) => (await channels)?.webhookUrl;
  return { at, fresh: (ws: string) => urlOf(fresh(ws, 'prj_1')), recent: (ws: string) => urlOf(recent(ws, 'prj_1')) };
}

describe('cached channels of a project', () => {
  it('are read once in five seconds, per workspace', async () => {
    const { at, recent } = cachedProjects();
    expect([await recent('a'), await recent('a')]).toEqual(['https://a.test/1', 'https://a.test/1']);
    expect(await recent('b')).toBe('https://b.test/2');
    at.ms += 5_000;
    expect(await recent('a')).toBe('https://a.test/3');
  });

  it('are replaced by a fresh read at once', async () => {
    const { fresh, recent } = cachedProjects();
    await recent('a');
    expect([await fresh('a'), await recent('a')]).toEqual(['https://a.test/2', 'https://a.test/2']);
  });

  it('are read again after a failed call', async () => {
    const { at, recent } = cachedProjects();
    at.isUnavailable = true;
    await expect(recent('a')).rejects.toThrow('unavailable');
    at.isUnavailable = false;
    expect(await recent('a')).toBe('https://a.test/2');
  });
});
