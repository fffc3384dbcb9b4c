import { describe, expect, it } from '@jest/globals';
import { ReceiverQueues } from './receiver-queues.ts';

/** Claims as much as the limits allow, as if each queue had endless messages. */
function claimAll(queues: ReceiverQueues): string[] {
  const claimed: string[] = [];
  for (;;) {
    const quotas = queues.takeQuotas();
    const some = quotas.flatMap(({ queueKey, slots }) => Array.from({ length: slots }, () => queueKey));
    queues.claimed(quotas, some);
    claimed.push(...some);
    if (some.length === 0) return claimed;
  }
}

const countIn = (queues: readonly string[], queueKey: string): number =>
  queues.filter((one) => one === queueKey).length;

/** Makes three attempts at once that fail, so that the queue counts as failing. */
function failThrice(queues: ReceiverQueues, queueKey: string): void {
  for (let n = 0; n < 3; n += 1) queues.begin(queueKey);
  for (let n = 0; n < 3; n += 1) queues.end(queueKey, false);
}

describe('receiver queues', () => {
  it('have eight slots each, which are reused as attempts end', () => {
    const queues = new ReceiverQueues();
    queues.markReady(['a', 'b']);
    expect(countIn(claimAll(queues), 'a')).toBe(8);
    queues.end('a', true);
    expect(claimAll(queues)).toEqual(['a']);
  });

  it('have one slot after three consecutive failures, and eight again after a success', () => {
    const queues = new ReceiverQueues();
    queues.markReady(['a']);
    claimAll(queues);
    for (let n = 0; n < 8; n += 1) queues.end('a', false);
    expect(claimAll(queues)).toEqual(['a']);
    queues.end('a', true);
    expect(claimAll(queues)).toHaveLength(8);
    expect(queues.inFlight).toBe(8);
  });

  it('that fail never take the slots of healthy ones, however many they are', () => {
    const queues = new ReceiverQueues();
    const failing = Array.from({ length: 300 }, (_, n) => `dead ${n}`);
    for (const queueKey of failing) failThrice(queues, queueKey);
    queues.markReady(failing);
    queues.markReady(['well']);
    const claimed = claimAll(queues);
    expect(claimed.filter((queueKey) => queueKey !== 'well')).toHaveLength(50);
    expect(countIn(claimed, 'well')).toBe(8);
  });

  it('share two hundred slots, and have one each while half of them are used', () => {
    const queues = new ReceiverQueues();
    const busy = Array.from({ length: 150 }, (_, n) => `queue ${n}`);
    queues.markReady(busy);
    const claimed = claimAll(queues);
    expect(claimed).toHaveLength(200);
    expect(new Set(claimed).size).toBeGreaterThan(100);
    for (const queueKey of claimed.slice(0, 60)) queues.end(queueKey, true);
    const next = claimAll(queues);
    expect(next.length).toBeGreaterThan(40);
    expect(new Set(next).size).toBe(next.length);
  });

  it('keep exact counts of attempts in flight when they start or stop failing', () => {
    const queues = new ReceiverQueues({ all: 200, perQueue: 8, failing: 2 });
    queues.markReady(['a']);
    claimAll(queues);
    for (let n = 0; n < 3; n += 1) queues.end('a', false);
    for (let n = 0; n < 4; n += 1) queues.end('a', true);
    queues.end('a', false);
    expect(queues.inFlight).toBe(0);
    for (const queueKey of ['b', 'c', 'd']) failThrice(queues, queueKey);
    queues.markReady(['b', 'c', 'd']);
    expect(claimAll(queues).filter((queueKey) => queueKey !== 'a')).toEqual(['b', 'c']);
  });
});
