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
      const { done, value } = await reader.read().finally(watch());
      if (done) break;
      const lines = (pending + decoder.decode(value, { stream: true })).split('\n');
      pending = lines.pop() ?? '';
      yield lines;
    }
    if (pending !== '') throw new Error('a line is cut off');
  } finally {
    // Ends the request, also when the consumer stops early.
    await reader.cancel().catch(() => undefined);
  }
}
