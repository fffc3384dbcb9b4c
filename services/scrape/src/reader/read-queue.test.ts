import { describe, expect, it } from '@jest/globals';
import { ReadQueue } from './read-queue.ts';

/** Takes every task, as one thread would, and charges the thread time that `costOf` returns. */
function serve(queue: ReadQueue<string>, costOf: (task: string) => number): string[] {
  const order: string[] = [];
  for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
    order.push(taken.task);
    queue.finish(taken.workspaceId, costOf(taken.task));
  }
  return order;
}

describe('ReadQueue', () => {
  it('gives each waiting workspace the same thread time, whatever its number of tasks and their cost', () => {
    const queue = new ReadQueue<string>();
    for (let at = 0; at < 20; at += 1) queue.push('heavy', 'interactive', `heavy ${at}`);
    for (let at = 0; at < 100; at += 1) queue.push('light', 'interactive', `light ${at}`);
    const order = serve(queue, (task) => (task.startsWith('heavy') ? 1_000 : 50));
    const beforeLastLight = order.slice(0, order.lastIndexOf('light 99') + 1);
    const heavy = beforeLastLight.filter((task) => task.startsWith('heavy')).length;
    // 100 light tasks take 5 s, in which the heavy workspace gets 5 s as well.
    expect(heavy).toBeGreaterThanOrEqual(4);
    expect(heavy).toBeLessThanOrEqual(6);
  });

  it('serves a workspace that begins to wait after at most one task of a workspace that has waited for long', () => {
    const queue = new ReadQueue<string>();
    for (let at = 0; at < 50; at += 1) queue.push('busy', 'interactive', `busy ${at}`);
    for (let at = 0; at < 30; at += 1) {
      const taken = queue.take();
      queue.finish(taken?.workspaceId ?? '', 400);
    }
    queue.push('new', 'interactive', 'new');
    expect([queue.take()?.task, queue.take()?.task]).toContain('new');
  });

  it('gives no credit for time in which a workspace requested nothing', () => {
    const queue = new ReadQueue<string>();
    queue.push('a', 'interactive', 'first');
    serve(queue, () => 10);
    for (let at = 0; at < 40; at += 1) queue.push('b', 'interactive', `b${at}`);
    serve(queue, () => 1_000);
    for (let at = 0; at < 10; at += 1) queue.push('a', 'interactive', `a${at}`);
    for (let at = 0; at < 10; at += 1) queue.push('b', 'interactive', `b${at}`);
    const order = serve(queue, () => 1_000);
    expect(order.slice(0, 6).filter((task) => task.startsWith('b')).length).toBeGreaterThanOrEqual(2);
  });

  it('serves the priority classes of workspaces with equal use in their order, and the lowest every eighth time', () => {
    const queue = new ReadQueue<string>();
    for (let at = 0; at < 10; at += 1) queue.push('a', 'run', 'run');
    for (let at = 0; at < 10; at += 1) queue.push('b', 'interactive', 'interactive');
    const order = serve(queue, () => 1);
    expect(order.slice(0, 7)).toEqual(Array.from({ length: 7 }, () => 'interactive'));
    expect(order[7]).toBe('run');
  });

  it('does not let the priority of one workspace delay the runs of another for longer than its share', () => {
    const queue = new ReadQueue<string>();
    for (let at = 0; at < 100; at += 1) queue.push('a', 'interactive', 'interactive');
    for (let at = 0; at < 10; at += 1) queue.push('b', 'run', 'run');
    const order = serve(queue, () => 100);
    // Without shares, every eighth task would be one of the run: its last would be the eightieth.
    expect(order.lastIndexOf('run')).toBeLessThan(30);
  });

  it('returns a task that was not started to the front of its queue', () => {
    const queue = new ReadQueue<string>();
    queue.push('a', 'run', 'first');
    queue.push('a', 'run', 'second');
    const taken = queue.take();
    if (taken === undefined) throw new Error('nothing was taken');
    queue.putBack(taken.workspaceId, taken.priority, taken.task);
    expect([queue.size, queue.take()?.task, queue.take()?.task, queue.size]).toEqual([2, 'first', 'second', 0]);
  });

  it('discards the shares of workspaces without tasks', () => {
    const queue = new ReadQueue<string>();
    for (let at = 0; at < 5_000; at += 1) {
      queue.push(`workspace ${at}`, 'run', 'page');
      const taken = queue.take();
      queue.finish(taken?.workspaceId ?? '', 1_000);
    }
    expect(queue.shares).toBeLessThanOrEqual(1_001);
  });
});
