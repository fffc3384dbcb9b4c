import { describe, expect, it } from '@jest/globals';
import { channelsOf, webhookOf } from '../../test/sending-servers.ts';
import { rememberChannels } from './project-channels.ts';

/** Projects that say how often they were asked, in their address, by a clock that is moved by hand. */
function asked() {
  const at = { ms: 0, isAway: false, times: 0 };
  const open = async (workspaceId: string) => {
    at.times += 1;
    if (at.isAway) throw new Error('away');
    return channelsOf(webhookOf(`https://${workspaceId}.test/${at.times}`));
  };
  const { fresh, recent } = rememberChannels(open, () => at.ms);
  const urlOf = async (told: ReturnType<typeof recent>) => (await told)?.webhookUrl;
  return { at, fresh: (ws: string) => urlOf(fresh(ws, 'prj_1')), recent: (ws: string) => urlOf(recent(ws, 'prj_1')) };
}

describe('whom a project tells', () => {
  it('is asked once in five seconds, for each workspace by itself', async () => {
    const { at, recent } = asked();
    expect([await recent('a'), await recent('a')]).toEqual(['https://a.test/1', 'https://a.test/1']);
    expect(await recent('b')).toBe('https://b.test/2');
    at.ms += 5_000;
    expect(await recent('a')).toBe('https://a.test/3');
  });

  it('is known at once where somebody asked afresh', async () => {
    const { fresh, recent } = asked();
    await recent('a');
    expect([await fresh('a'), await recent('a')]).toEqual(['https://a.test/2', 'https://a.test/2']);
  });

  it('is asked again where the answer failed', async () => {
    const { at, recent } = asked();
    at.isAway = true;
    await expect(recent('a')).rejects.toThrow('away');
    at.isAway = false;
    expect(await recent('a')).toBe('https://a.test/2');
  });
});
