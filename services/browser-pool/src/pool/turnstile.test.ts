import { describe, expect, it } from '@jest/globals';
import { Turnstile } from './turnstile.ts';

const never = new AbortController().signal;

describe('the turnstile', () => {
  it('never lets more in than it has places', async () => {
    const turnstile = new Turnstile(2, 10);
    const first = await turnstile.enter('a', never);
    await turnstile.enter('a', never);
    const third = turnstile.enter('a', never);
    expect(turnstile).toMatchObject({ inside: 2, waiting: 1 });
    first();
    first();
    await third;
    expect(turnstile).toMatchObject({ inside: 2, waiting: 0 });
  });

  it('serves the workspaces in turn, each in its own order', async () => {
    const turnstile = new Turnstile(1, 10);
    const order: string[] = [];
    const leave = await turnstile.enter('a', never);
    const visits = ['a1', 'a2', 'a3', 'b1', 'c1'].map(async (name) => {
      const out = await turnstile.enter(name.slice(0, 1), never);
      order.push(name);
      out();
    });
    leave();
    await Promise.all(visits);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('refuses at once when full, except that a newcomer takes the place of the longest line’s last', async () => {
    const turnstile = new Turnstile(1, 2);
    const leave = await turnstile.enter('a', never);
    const first = turnstile.enter('a', never);
    const second = turnstile.enter('a', never);
    await expect(turnstile.enter('a', never)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    const newcomer = turnstile.enter('b', never);
    await expect(second).rejects.toMatchObject({ code: 'unavailable' });
    leave();
    (await first)();
    (await newcomer)();
    expect(turnstile).toMatchObject({ inside: 0, waiting: 0 });
  });

  it('forgets who gave up waiting', async () => {
    const turnstile = new Turnstile(1, 2);
    const leave = await turnstile.enter('a', never);
    const patience = new AbortController();
    const waiting = turnstile.enter('a', patience.signal);
    patience.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    leave();
    expect(turnstile).toMatchObject({ inside: 0, waiting: 0 });
  });
});
