/** A message of the frame of a compared page (libs/web-pages/browser/compared-page). */
export type ComparedMessage =
  | {
      readonly kind: 'ready';
      readonly source: 'html' | 'markdown';
      /** Changes of the page, and those of them that the shown content contains. */
      readonly changes: number;
      readonly shown: number;
    }
  | { readonly kind: 'missing'; readonly reason: string };

const MAX_REASON_CHARS = 500;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Reads a message of the frame, whose page may send any other; undefined: it is none of the frame's own script. */
export function readComparedMessage(data: unknown): ComparedMessage | undefined {
  if (typeof data !== 'object' || data === null || !('from' in data) || data.from !== 'tidemark-compared') return;
  const { kind, source, changes, shown, reason } = {
    kind: '',
    source: '',
    changes: -1,
    shown: -1,
    reason: '',
    ...data,
  };
  if (kind === 'missing') return { kind, reason: String(reason).slice(0, MAX_REASON_CHARS) };
  if (kind !== 'ready' || (source !== 'html' && source !== 'markdown') || !isCount(changes) || !isCount(shown)) return;
  return { kind, source, changes, shown: Math.min(shown, changes) };
}
