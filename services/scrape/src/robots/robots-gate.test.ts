import { describe, expect, it } from '@jest/globals';
import type { RobotsFile } from '@tidemark/robots';
import { RobotsGate } from './robots-gate.ts';

const AGENT = 'Tidemark';
const PAGE = 'https://example.com/private/page';

describe('RobotsGate', () => {
  function gateTo(responses: Record<string, () => Promise<RobotsFile>>) {
    const checked: string[] = [];
    const gate = new RobotsGate((url) => {
      checked.push(url);
      return responses[url]?.() ?? Promise.reject(new Error('unreachable'));
    }, AGENT);
    return { gate, checked };
  }
  const file = (body: string) => async (): Promise<RobotsFile> => ({ status: 200, body });

  it("fetches each host's file once for concurrent checks", async () => {
    const { gate, checked } = gateTo({ 'https://example.com/robots.txt': file('User-agent: *\nDisallow: /private') });
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => gate.check(`https://example.com/${i % 2 === 0 ? 'private' : 'open'}/${i}`)),
    );
    expect(responses.map((response) => response.allowed)).toEqual(responses.map((_, i) => i % 2 === 1));
    expect(checked).toEqual(['https://example.com/robots.txt']);
  });

  it('fetches one file per origin: another scheme or port is another host', async () => {
    const { gate, checked } = gateTo({});
    for (const url of ['https://example.com/', 'http://example.com/', 'https://example.com:8443/'])
      await expect(gate.check(url)).rejects.toMatchObject({ message: 'unreachable' });
    expect(checked).toEqual([
      'https://example.com/robots.txt',
      'http://example.com/robots.txt',
      'https://example.com:8443/robots.txt',
    ]);
  });

  it('waits at most as long as the caller allows', async () => {
    const never = new Promise<RobotsFile>(() => undefined);
    const { gate } = gateTo({ 'https://example.com/robots.txt': () => never });
    await expect(gate.check(PAGE, 20)).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('returns the rules of a host', async () => {
    const { gate, checked } = gateTo({ 'https://example.com/robots.txt': file('User-agent: *\nCrawl-delay: 3') });
    expect((await gate.policyOf(PAGE)).crawlDelaySeconds).toBe(3);
    expect((await gate.check(PAGE)).allowed).toBe(true);
    expect(checked).toHaveLength(1);
  });

  it('fetches again after a failure, which is not cached', async () => {
    let up = false;
    const response = () => (up ? file('')() : Promise.reject(new Error('refused')));
    const { gate, checked } = gateTo({ 'https://example.com/robots.txt': response });
    await expect(gate.check(PAGE)).rejects.toMatchObject({ message: 'refused' });
    up = true;
    expect(await gate.check(PAGE)).toMatchObject({ allowed: true });
    expect(checked).toHaveLength(2);
  });
});
