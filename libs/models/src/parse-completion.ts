const FENCE = '```';
const FENCED_JSON = `${FENCE}json`;

/** Parses a model's text as JSON, also inside the code fence that some models add. Undefined: it is no JSON. */
export function parseCompletion(text: string): unknown {
  try {
    return JSON.parse(withoutFence(text.trim()));
  } catch {
    return undefined;
  }
}

function withoutFence(text: string): string {
  if (!text.startsWith(FENCE) || !text.endsWith(FENCE) || text.length < FENCE.length + FENCED_JSON.length) return text;
  const opening = text.startsWith(FENCED_JSON) ? FENCED_JSON : FENCE;
  return text.slice(opening.length, -FENCE.length);
}
