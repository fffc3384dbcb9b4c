/** Kinds of controls. All edit the text of a value. */
export type Kind = 'flag' | 'choice' | 'choices' | 'number' | 'text' | 'lines' | 'scalar' | 'json';

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Follows a reference into `$defs`, the only kind of reference that GET /meta has. */
function resolved(schema: Schema): Schema {
  const { $ref: ref, $defs: defs } = schema;
  if (typeof ref !== 'string' || !isSchema(defs)) return schema;
  const found = defs[ref.replace('#/$defs/', '')];
  return isSchema(found) ? found : schema;
}

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** Returns the control for a JSON Schema of GET /meta. Shapes without a control of their own are edited as JSON. */
export function kindOf(given: Schema): Kind {
  const schema = resolved(given);
  const { type, items, anyOf } = schema;
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return textsIn(schema['enum']).length > 0 ? 'choice' : 'text';
  if (type === 'array' && isSchema(items) && items['type'] === 'string')
    return textsIn(items['enum']).length > 0 ? 'choices' : 'lines';
  const isScalar =
    Array.isArray(anyOf) && anyOf.every((one) => isSchema(one) && /^(integer|string)$/.test(`${one['type']}`));
  return isScalar ? 'scalar' : 'json';
}

/** Returns the values that a schema lists. */
export function choicesOf(given: Schema): readonly string[] {
  const { enum: own, items } = resolved(given);
  return isSchema(items) ? textsIn(items['enum']) : textsIn(own);
}

/** Returns the bounds of a number. */
export function boundsOf(given: Schema): { readonly min?: number; readonly max?: number } {
  const { minimum, maximum } = resolved(given);
  return {
    ...(typeof minimum === 'number' ? { min: minimum } : {}),
    ...(typeof maximum === 'number' ? { max: maximum } : {}),
  };
}

/** Returns the text of a value in its control. */
export function textOf(value: unknown, kind: Kind): string {
  if (value === null || value === undefined) return '';
  if (kind === 'lines' || kind === 'choices') return textsIn(value).join('\n');
  if (kind === 'json') return JSON.stringify(value, null, 2);
  return String(value);
}

export type Parsed = { readonly value: unknown } | { readonly problem: 'number' | 'json' };

/** Reads the text of a control. An empty text is null, which resets the setting to its default; an empty list stays a list. */
export function parseText(text: string, kind: Kind): Parsed {
  if (kind === 'flag') return { value: text === 'true' };
  if (kind === 'lines' || kind === 'choices') {
    const lines = text.split('\n').map((line) => line.trim());
    return { value: lines.filter((line) => line !== '') };
  }
  if (text.trim() === '') return { value: null };
  if (kind === 'number') return Number.isFinite(Number(text)) ? { value: Number(text) } : { problem: 'number' };
  if (kind === 'scalar') return { value: /^\d+$/.test(text) ? Number(text) : text };
  return kind === 'json' ? jsonOf(text) : { value: text };
}

function jsonOf(text: string): Parsed {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: 'json' };
  }
}

const ABBREVIATIONS = /\b(?:html|url|js|api|id|tls|ca|ssh)\b/gi;

/** Returns a name for people from a key such as `max_pages`. */
export function nameOf(key: string): string {
  const text = key.replaceAll('_', ' ').replace(ABBREVIATIONS, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}
