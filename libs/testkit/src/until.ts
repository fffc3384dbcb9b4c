import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@tidemark/errors';

/** A condition is polled after an eighth of the time waited so far, ms: soon at first, and seldom where it takes long. */
const POLL_MS = { least: 10, most: 100 };

/** Default limit, ms: half of the time limit of a test. It is reached only where the condition never holds, also on a loaded machine. */
const LIMIT_MS = 60_000;

/**
 * Polls a condition until it holds, and returns its value. A condition that throws does not hold yet.
 * @throws Error that names the condition and the last failure
 */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = LIMIT_MS }: { readonly withinMs?: number } = {},
): Promise<T> {
  const startedAt = performance.now();
  let last = 'it never held';
  for (;;) {
    try {
      const held = await condition();
      if (held !== undefined && held !== false) return held;
    } catch (error) {
      last = messageOf(error);
    }
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > withinMs) throw new Error(`waited ${withinMs} ms for ${what}: ${last}`);
    const pollMs = Math.min(Math.max(waitedMs / 8, POLL_MS.least), POLL_MS.most);
    await sleep(pollMs);
  }
}
