/** Longest line that is kept, in characters: a page with its bodies has at most about as much. */
const MAX_LINE = 256_000_000;

/**
 * Yields the lines of a stream that have ended, in the lists in which they arrive. `watch` is called before each read and returns what is
 * called after it, so that the caller can limit the wait for bytes but not the work on them.
 */
export async function* readLines(
  body: ReadableStream<Uint8Array>,
  watch: () => () => void,
): AsyncGenerator<readonly string[], void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let pending = '';
  try {
    for (;;) {
      const arrived = watch();
      const { done, value } = await reader.read().finally(arrived);
      if (done) break;
      pending += decoder.decode(value, { stream: true });
      const end = pending.lastIndexOf('\n');
      if (end === -1 && pending.length > MAX_LINE) throw new Error('a line of the response is too long');
      if (end === -1) continue;
      const lines = pending.slice(0, end).split('\n');
      pending = pending.slice(end + 1);
      yield lines;
    }
    if (pending !== '') throw new Error('the response ends within a line');
  } finally {
    // Ends the request, also when the consumer stops early.
    await reader.cancel().catch(() => undefined);
  }
}
