import { describe, expect, it } from '@jest/globals';
import { tellEach } from './tell-each.ts';

/** Facts whose tellings end when the test says so. */
function tellings() {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const tell = (fact: string) =>
    new Promise<void>((resolve, reject) => {
      begun.push(fact);
      ends.set(fact, (error) => (error === undefined ? resolve() : reject(error)));
    });
  const end = async (fact: string, error?: Error) => {
    ends.get(fact)?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, tell, end };
}

describe('facts heard together', () => {
  it('are told eight at a time, so that a slow one delays no other', async () => {
    const { begun, tell, end } = tellings();
    const names = Array.from({ length: 12 }, (_, n) => `${n}`);
    const told = tellEach(names, (name) => name, tell);
    expect(begun).toHaveLength(8);
    for (const name of names.slice(1)) await end(name);
    expect(begun).toEqual(names);
    await end('0');
    await told;
  });

  it('of one project are told in their order', async () => {
    const { begun, tell, end } = tellings();
    const told = tellEach(['a failing', 'b failing', 'a recovered'], (fact) => fact.slice(0, 1), tell);
    expect(begun).toEqual(['a failing', 'b failing']);
    await end('a failing');
    expect(begun).toContain('a recovered');
    for (const fact of ['b failing', 'a recovered']) await end(fact);
    await told;
  });

  it('are heard again where one could not be told', async () => {
    const { tell, end } = tellings();
    const told = tellEach(['a', 'b'], (fact) => fact, tell);
    const failed = expect(told).rejects.toThrow('away');
    await end('a', new Error('away'));
    await end('b');
    await failed;
  });
});
