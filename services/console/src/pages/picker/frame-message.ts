/** What the frame of a stored page reports. Its texts are those of the page: they are shown as text only. */
export type FrameMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'at'; readonly name: string; readonly text: string }
  | { readonly kind: 'picked'; readonly selectors: readonly string[] }
  | { readonly kind: 'shown'; readonly selector: string; readonly count: number };

const MAX_SELECTORS = 10;
/** The longest selector of the API. */
const MAX_SELECTOR = 1_000;
const MAX_TEXT = 200;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const textOf = (value: unknown, max: number): string => (typeof value === 'string' ? value.slice(0, max) : '');

/** Reads a message of the frame; undefined: it is none. */
export function readMessage(data: unknown): FrameMessage | undefined {
  if (!isRecord(data) || data['from'] !== 'tidemark-stored') return undefined;
  const { kind, selectors, selector, count } = data;
  if (kind === 'ready' || kind === 'empty') return { kind };
  if (kind === 'at') return { kind, name: textOf(data['name'], MAX_TEXT), text: textOf(data['text'], MAX_TEXT) };
  if (kind === 'shown' && typeof count === 'number' && Number.isSafeInteger(count))
    return { kind, selector: textOf(selector, MAX_SELECTOR), count };
  if (kind !== 'picked' || !Array.isArray(selectors)) return undefined;
  const valid = selectors.filter((one) => typeof one === 'string' && one !== '' && one.length <= MAX_SELECTOR);
  return { kind, selectors: valid.slice(0, MAX_SELECTORS) };
}
