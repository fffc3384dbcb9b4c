import { messageOf } from '@tidemark/errors';

const LOOK_EVERY_MS = 20;

/**
 * Asks again and again until something holds, and answers with it. A condition that throws doesn't hold yet.
 * @throws Error saying what was waited for and what came last
 */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 30_000 }: { readonly withinMs?: number } = {},
): Promise<T> {
  const deadline = performance.now() + withinMs;
  let last = 'it never held';
  for (;;) {
    try {
      const held = await condition();
      if (held !== undefined && held !== false) return held;
    } catch (error) {
      last = messageOf(error);
    }
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms for ${what}: ${last}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
