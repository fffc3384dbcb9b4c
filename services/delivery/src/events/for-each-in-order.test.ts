import { describe, expect, it } from '@jest/globals';
import { forEachInOrder } from './for-each-in-order.ts';

/** Facts whose tellings end when the test says so. */
function handlers() {
  const started: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const handle = (event: string) =>
    new Promise<void>((resolve, reject) => {
      started.push(event);
      ends.set(event, (error) => (error === undefined ? resolve() : reject(error)));
    });
  const end = async (event: string, error?: Error) => {
    ends.get(event)?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun: started, tell: handle, end };
}

describe('facts heard together', () => {
  it('are told eight at a time, so that a slow one delays no other', async () => {
    const { begun: started, tell: handle, end } = handlers();
    const names = Array.from({ length: 12 }, (_, n) => `${n}`);
    const done = forEachInOrder(names, (name) => name, handle);
    expect(started).toHaveLength(8);
    for (const name of names.slice(1)) await end(name);
    expect(started).toEqual(names);
    await end('0');
    await done;
  });

  it('of one project are told in their order', async () => {
    const { begun: started, tell: handle, end } = handlers();
    const done = forEachInOrder(['a failing', 'b failing', 'a recovered'], (event) => event.slice(0, 1), handle);
    expect(started).toEqual(['a failing', 'b failing']);
    await end('a failing');
    expect(started).toContain('a recovered');
    for (const event of ['b failing', 'a recovered']) await end(event);
    await done;
  });

  it('are heard again where one could not be told', async () => {
    const { tell: handle, end } = handlers();
    const done = forEachInOrder(['a', 'b'], (event) => event, handle);
    const failed = expect(done).rejects.toThrow('away');
    await end('a', new Error('away'));
    await end('b');
    await failed;
  });
});
