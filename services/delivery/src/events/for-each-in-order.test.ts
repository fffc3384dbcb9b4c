import { describe, expect, it } from '@jest/globals';
import { forEachInOrder } from './for-each-in-order.ts';

/** Handlers that end when the test ends them. */
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
  return { started, handle, end };
}

describe('forEachInOrder', () => {
  it('handles eight events at a time, so that a slow one delays no other', async () => {
    const { started, handle, end } = handlers();
    const names = Array.from({ length: 12 }, (_, n) => `${n}`);
    const done = forEachInOrder(names, (name) => name, handle);
    expect(started).toHaveLength(8);
    for (const name of names.slice(1)) await end(name);
    expect(started).toEqual(names);
    await end('0');
    await done;
  });

  it('handles events of one project in order', async () => {
    const { started, handle, end } = handlers();
    const done = forEachInOrder(['a failing', 'b failing', 'a recovered'], (event) => event.slice(0, 1), handle);
    expect(started).toEqual(['a failing', 'b failing']);
    await end('a failing');
    expect(started).toContain('a recovered');
    for (const event of ['b failing', 'a recovered']) await end(event);
    await done;
  });

  it('rejects where a handler fails, so that the batch is redelivered', async () => {
    const { handle, end } = handlers();
    const done = forEachInOrder(['a', 'b'], (event) => event, handle);
    const failed = expect(done).rejects.toThrow('unavailable');
    await end('a', new Error('unavailable'));
    await end('b');
    await failed;
  });
});
