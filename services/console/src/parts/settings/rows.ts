/** Values of settings as rows of a table, and back. A shape that has no rows is undefined: it is edited as JSON. */
type Values = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const readJson = (text: string): unknown => {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return NaN;
  }
};
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
/** The text of a value in its JSON view. */
const jsonText = (value: unknown): string => JSON.stringify(value, null, 2);
/** Without the fields that hold nothing. */
const filled = (fields: Values): Values =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== '' && value !== false && value !== undefined),
  );

/** A name and a value: headers, cookies, data of messages. */
export interface Pair {
  readonly name: string;
  readonly value: string;
}

export function readPairs(text: string): readonly Pair[] | undefined {
  const value = readJson(text) ?? {};
  if (!isObject(value)) return undefined;
  const pairs = Object.entries(value).map(([name, one]) => ({ name, value: one }));
  return pairs.every((pair): pair is Pair => typeof pair.value === 'string') ? pairs : undefined;
}

export const writePairs = (pairs: readonly Pair[]): string =>
  jsonText(Object.fromEntries(pairs.filter(({ name }) => name !== '').map(({ name, value }) => [name.trim(), value])));

export const FIELD_TYPES = ['string', 'number', 'boolean', 'date', 'url', 'html', 'markdown'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** A value that is read from each page. */
export interface FieldRow {
  readonly name: string;
  readonly selector: string;
  readonly attribute: string;
  readonly type: FieldType;
  readonly many: boolean;
}

export function readFields(text: string): readonly FieldRow[] | undefined {
  const value = readJson(text) ?? {};
  if (!isObject(value)) return undefined;
  const rows = Object.entries(value).map(([name, rule]): FieldRow | undefined => {
    if (!isObject(rule)) return undefined;
    const type = FIELD_TYPES.find((one) => one === (rule['type'] ?? 'string'));
    if (type === undefined) return undefined;
    return {
      name,
      selector: textIn(rule['selector']),
      attribute: textIn(rule['attribute']),
      type,
      many: rule['many'] === true,
    };
  });
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

export const writeFields = (rows: readonly FieldRow[]): string =>
  jsonText(
    Object.fromEntries(
      rows
        .filter(({ name }) => name !== '')
        .map(({ name, selector, attribute, type, many }) => [
          name.trim(),
          { selector, ...filled({ attribute, type: type === 'string' ? '' : type, many }) },
        ]),
    ),
  );

export const ACTION_TYPES = ['click', 'type', 'press', 'scroll', 'wait', 'select'] as const;
export const SCROLL_TARGETS = ['down', 'up', 'top', 'bottom'] as const;

/** One step of a browser. Only the fields of its type are written. */
export interface ActionRow {
  readonly type: (typeof ACTION_TYPES)[number];
  readonly selector: string;
  readonly text: string;
  readonly key: string;
  readonly to: (typeof SCROLL_TARGETS)[number];
  readonly ms: string;
  /** The value of an option. */
  readonly value: string;
}

export const BLANK_ACTION: ActionRow = {
  type: 'click',
  selector: '',
  text: '',
  key: '',
  to: 'down',
  ms: '1000',
  value: '',
};

export function readActions(text: string): readonly ActionRow[] | undefined {
  const value = readJson(text) ?? [];
  if (!Array.isArray(value)) return undefined;
  const rows = value.map((action: unknown): ActionRow | undefined => {
    if (!isObject(action)) return undefined;
    const type = ACTION_TYPES.find((one) => one === action['type']);
    if (type === undefined) return undefined;
    return {
      type,
      selector: textIn(action['selector']),
      text: textIn(action['text']),
      key: textIn(action['key']),
      to: SCROLL_TARGETS.find((one) => one === action['to']) ?? 'down',
      ms: typeof action['ms'] === 'number' ? String(action['ms']) : BLANK_ACTION.ms,
      value: textIn(action['value']),
    };
  });
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

function actionOf({ type, selector, text, key, to, ms, value }: ActionRow): Values {
  const at = filled({ selector });
  switch (type) {
    case 'click':
      return { type, selector };
    case 'type':
      return { type, selector, text };
    case 'press':
      return { type, key, ...at };
    case 'scroll':
      return { type, to, ...at };
    case 'wait':
      return { type, ms: Number(ms), ...at };
    case 'select':
      return { type, selector, value };
  }
}

export const writeActions = (rows: readonly ActionRow[]): string => jsonText(rows.map(actionOf));

export const VALUE_TYPES = ['string', 'number', 'integer', 'boolean', 'list'] as const;

/** A value that a language model reads. */
export interface ValueRow {
  readonly name: string;
  readonly type: (typeof VALUE_TYPES)[number];
  readonly description: string;
  readonly required: boolean;
}

/** What a language model reads from each page. */
export interface ExtractDraft {
  readonly connection: string;
  readonly prompt: string;
  readonly maxTokens: string;
  readonly values: readonly ValueRow[];
}

const LIST_OF_TEXTS = { type: 'array', items: { type: 'string' } };
const KNOWN_EXTRACT = ['connection_id', 'schema', 'prompt', 'max_tokens'];
const KNOWN_SCHEMA = ['type', 'properties', 'required'];
const hasOnly = (value: Values, keys: readonly string[]): boolean =>
  Object.keys(value).every((key) => keys.includes(key));

function valueRow(name: string, schema: unknown, required: readonly unknown[]): ValueRow | undefined {
  if (!isObject(schema)) return undefined;
  const isList = schema['type'] === 'array' && JSON.stringify(schema['items']) === JSON.stringify(LIST_OF_TEXTS.items);
  const type = isList ? 'list' : VALUE_TYPES.find((one) => one !== 'list' && one === schema['type']);
  if (type === undefined || !hasOnly(schema, isList ? ['type', 'items', 'description'] : ['type', 'description']))
    return undefined;
  return { name, type, description: textIn(schema['description']), required: required.includes(name) };
}

/** Reads the settings of an extraction whose schema is a flat list of values. */
export function readExtract(text: string): ExtractDraft | undefined {
  const value = readJson(text) ?? {};
  if (!isObject(value) || !hasOnly(value, KNOWN_EXTRACT)) return undefined;
  const { schema = {} } = value;
  if (!isObject(schema) || !hasOnly(schema, KNOWN_SCHEMA)) return undefined;
  const { properties = {}, required = [] } = schema;
  if (!isObject(properties) || !Array.isArray(required)) return undefined;
  const values = Object.entries(properties).map(([name, one]) => valueRow(name, one, required));
  if (!values.every((row) => row !== undefined)) return undefined;
  const { max_tokens: maxTokens } = value;
  return {
    connection: textIn(value['connection_id']),
    prompt: textIn(value['prompt']),
    maxTokens: typeof maxTokens === 'number' ? String(maxTokens) : '',
    values,
  };
}

/** Returns an empty text, which resets the setting, for a draft without values. */
export function writeExtract({ connection, prompt, maxTokens, values }: ExtractDraft): string {
  const named = values.filter(({ name }) => name !== '');
  if (connection === '' && named.length === 0) return '';
  const properties = Object.fromEntries(
    named.map(({ name, type, description }) => [
      name.trim(),
      { ...(type === 'list' ? LIST_OF_TEXTS : { type }), ...filled({ description }) },
    ]),
  );
  const required = named.filter((row) => row.required).map(({ name }) => name.trim());
  const schema = { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
  const tokens = Number(maxTokens);
  return jsonText({
    ...filled({ connection_id: connection }),
    schema,
    ...filled({ prompt }),
    ...(maxTokens !== '' && Number.isFinite(tokens) ? { max_tokens: tokens } : {}),
  });
}

/** A model and what its summaries are about. */
export interface DigestDraft {
  readonly connection: string;
  readonly focus: string;
}

export function readDigest(text: string): DigestDraft | undefined {
  const value = readJson(text) ?? {};
  if (!isObject(value) || !hasOnly(value, ['connection_id', 'focus'])) return undefined;
  return { connection: textIn(value['connection_id']), focus: textIn(value['focus']) };
}

/** Returns an empty text, which resets the setting, without a connection. */
export const writeDigest = ({ connection, focus }: DigestDraft): string =>
  connection === '' ? '' : jsonText({ connection_id: connection, ...filled({ focus }) });

/** A decision about a place on pages. */
export interface OverrideRow {
  readonly place: string;
  readonly ignore: boolean;
  readonly url: string;
  readonly text: string;
}

export function readOverrides(text: string): readonly OverrideRow[] | undefined {
  const value = readJson(text) ?? [];
  if (!Array.isArray(value) || !value.every(isObject)) return undefined;
  return value.map((one) => ({
    place: textIn(one['place']),
    ignore: one['ignore'] === true,
    url: textIn(one['url']),
    text: textIn(one['text']),
  }));
}

export const writeOverrides = (rows: readonly OverrideRow[]): string =>
  jsonText(rows.map(({ place, ignore, url, text }) => ({ place, ignore, ...filled({ url, text }) })));
