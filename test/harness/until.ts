const LOOK_EVERY_MS = 40;

/**
 * Asks again and again until something holds, and answers with it. A condition that throws doesn't hold yet.
 * @throws Error saying what was waited for and what came last
 */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs }: { readonly withinMs: number },
): Promise<T> {
  const deadline = performance.now() + withinMs;
  let last = 'it never held';
  for (;;) {
    try {
      const held = await condition();
      if (held !== undefined && held !== false) return held;
    } catch (error) {
      last = String(error);
    }
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms for ${what}: ${last}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Resolves with a promise's outcome, or fails loudly where there is none in time. */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
