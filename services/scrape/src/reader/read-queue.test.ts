import { describe, expect, it } from '@jest/globals';
import type { ReadPriority } from './read-priority.ts';
import { type ReadOrder, ReadQueue } from './read-queue.ts';

interface Task {
  readonly order: ReadOrder;
  readonly name: string;
}

const task = (workspaceId: string, priority: ReadPriority, name: string): Task => ({
  order: { workspaceId, priority },
  name,
});

/** Takes every task, as one thread would, and charges the thread time that `costOf` returns. */
function serve(queue: ReadQueue<Task>, costOf: (task: string) => number): string[] {
  const order: string[] = [];
  for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
    order.push(taken.name);
    queue.finish(taken, costOf(taken.name));
  }
  return order;
}

describe('ReadQueue', () => {
  it('gives each waiting workspace the same thread time, whatever its number of tasks and their cost', () => {
    const queue = new ReadQueue<Task>();
    for (let at = 0; at < 20; at += 1) queue.push(task('heavy', 'interactive', `heavy ${at}`));
    for (let at = 0; at < 100; at += 1) queue.push(task('light', 'interactive', `light ${at}`));
    const order = serve(queue, (name) => (name.startsWith('heavy') ? 1_000 : 50));
    const beforeLastLight = order.slice(0, order.lastIndexOf('light 99') + 1);
    const heavy = beforeLastLight.filter((name) => name.startsWith('heavy')).length;
    // 100 light tasks take 5 s, in which the heavy workspace gets 5 s as well.
    expect(heavy).toBeGreaterThanOrEqual(4);
    expect(heavy).toBeLessThanOrEqual(6);
  });

  it('serves a workspace that begins to wait after at most one task of a workspace that has waited for long', () => {
    const queue = new ReadQueue<Task>();
    for (let at = 0; at < 50; at += 1) queue.push(task('busy', 'interactive', `busy ${at}`));
    for (let at = 0; at < 30; at += 1) {
      const taken = queue.take();
      if (taken !== undefined) queue.finish(taken, 400);
    }
    queue.push(task('new', 'interactive', 'new'));
    expect([queue.take()?.name, queue.take()?.name]).toContain('new');
  });

  it('gives no credit for time in which a workspace requested nothing', () => {
    const queue = new ReadQueue<Task>();
    queue.push(task('a', 'interactive', 'first'));
    serve(queue, () => 10);
    for (let at = 0; at < 40; at += 1) queue.push(task('b', 'interactive', `b${at}`));
    serve(queue, () => 1_000);
    for (let at = 0; at < 10; at += 1) queue.push(task('a', 'interactive', `a${at}`));
    for (let at = 0; at < 10; at += 1) queue.push(task('b', 'interactive', `b${at}`));
    const order = serve(queue, () => 1_000);
    expect(order.slice(0, 6).filter((name) => name.startsWith('b')).length).toBeGreaterThanOrEqual(2);
  });

  it('serves the priority classes of workspaces with equal use in their order, and the lowest every eighth time', () => {
    const queue = new ReadQueue<Task>();
    for (let at = 0; at < 10; at += 1) queue.push(task('a', 'run', 'run'));
    for (let at = 0; at < 10; at += 1) queue.push(task('b', 'interactive', 'interactive'));
    const order = serve(queue, () => 1);
    expect(order.slice(0, 7)).toEqual(Array.from({ length: 7 }, () => 'interactive'));
    expect(order[7]).toBe('run');
  });

  it('does not let the priority of one workspace delay the runs of another for longer than its share', () => {
    const queue = new ReadQueue<Task>();
    for (let at = 0; at < 100; at += 1) queue.push(task('a', 'interactive', 'interactive'));
    for (let at = 0; at < 10; at += 1) queue.push(task('b', 'run', 'run'));
    const order = serve(queue, () => 100);
    // Without shares, every eighth task would be one of the run: its last would be the eightieth.
    expect(order.lastIndexOf('run')).toBeLessThan(30);
  });

  it('returns a task that was not started to the front of its queue', () => {
    const queue = new ReadQueue<Task>();
    queue.push(task('a', 'run', 'first'));
    queue.push(task('a', 'run', 'second'));
    const taken = queue.take();
    if (taken === undefined) throw new Error('nothing was taken');
    queue.putBack(taken);
    expect([queue.size, queue.take()?.name, queue.take()?.name, queue.size]).toEqual([2, 'first', 'second', 0]);
  });

  it('removes a task that waits, and no task that was taken', () => {
    const queue = new ReadQueue<Task>();
    const [taken, dropped, kept] = ['taken', 'dropped', 'kept'].map((name) => task('a', 'run', name));
    if (taken === undefined || dropped === undefined || kept === undefined) throw new Error('three tasks expected');
    for (const each of [taken, dropped, kept]) queue.push(each);
    expect(queue.take()).toBe(taken);
    expect([queue.remove(taken), queue.remove(dropped), queue.size]).toEqual([false, true, 1]);
    expect(queue.take()).toBe(kept);
  });

  it('discards the shares of workspaces without tasks', () => {
    const queue = new ReadQueue<Task>();
    for (let at = 0; at < 5_000; at += 1) {
      queue.push(task(`workspace ${at}`, 'run', 'page'));
      const taken = queue.take();
      if (taken !== undefined) queue.finish(taken, 1_000);
    }
    expect(queue.shares).toBeLessThanOrEqual(1_001);
  });
});
