import { describe, expect, it } from '@jest/globals';
import { channelsOf, webhookOf } from '../../test/sending-servers.ts';
import { cacheChannels } from './project-channels.ts';

/** Projects that say how often they were asked, in their address, by a clock that is moved by hand. */
function cachedProjects() {
  const at = { ms: 0, isUnavailable: false, times: 0 };
  const open = async (workspaceId: string) => {
    at.times += 1;
    if (at.isUnavailable) throw new Error('away');
    return channelsOf(webhookOf(`https://${workspaceId}.test/${at.times}`));
  };
  const { fresh, recent } = cacheChannels(open, () => at.ms);
  const urlOf = async (channels: ReturnType<typeof recent>) => (await channels)?.webhookUrl;
  return { at, fresh: (ws: string) => urlOf(fresh(ws, 'prj_1')), recent: (ws: string) => urlOf(recent(ws, 'prj_1')) };
}

describe('whom a project tells', () => {
  it('is asked once in five seconds, for each workspace by itself', async () => {
    const { at, recent } = cachedProjects();
    expect([await recent('a'), await recent('a')]).toEqual(['https://a.test/1', 'https://a.test/1']);
    expect(await recent('b')).toBe('https://b.test/2');
    at.ms += 5_000;
    expect(await recent('a')).toBe('https://a.test/3');
  });

  it('is known at once where somebody asked afresh', async () => {
    const { fresh, recent } = cachedProjects();
    await recent('a');
    expect([await fresh('a'), await recent('a')]).toEqual(['https://a.test/2', 'https://a.test/2']);
  });

  it('is asked again where the answer failed', async () => {
    const { at, recent } = cachedProjects();
    at.isUnavailable = true;
    await expect(recent('a')).rejects.toThrow('away');
    at.isUnavailable = false;
    expect(await recent('a')).toBe('https://a.test/2');
  });
});
