/** One server-sent event. */
export interface ServerEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

const LINE_END = /\r\n|\n|\r/;

/** Longest text without an end of line that is kept, in characters. */
const MAX_PENDING = 4_000_000;

/**
 * Parses a stream of server-sent events. Comments, which servers send as heartbeats, yield undefined.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent | undefined> {
  let fields: Record<string, string> = {};
  for await (const line of readLines(body)) {
    if (line !== '') fields = withLine(fields, line);
    else {
      const { event = 'message', id, data } = fields;
      yield data === undefined ? undefined : { event, id, data };
      fields = {};
    }
  }
}

/** Yields complete lines. Cancels the stream at the end, also where the consumer stops early. @throws Error for a line that is too long */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let pending = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      pending += decoder.decode(value, { stream: true });
      // A final CR may be the first half of CRLF.
      const held = pending.endsWith('\r') ? '\r' : '';
      const lines = pending.slice(0, pending.length - held.length).split(LINE_END);
      pending = (lines.pop() ?? '') + held;
      if (pending.length > MAX_PENDING) throw new Error('a line of the event stream is too long');
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function withLine(fields: Readonly<Record<string, string>>, line: string): Record<string, string> {
  const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
  const isMore = name === 'data' && fields['data'] !== undefined;
  return name === '' ? { ...fields } : { ...fields, [name]: isMore ? `${fields['data']}\n${value}` : value };
}
