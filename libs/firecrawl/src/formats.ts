import { refuseFormat, refuseOption, refuseValue } from './refusal.ts';
import {
  entryOf,
  fieldOf,
  flagAt,
  isObject,
  listAt,
  objectAt,
  type Settings,
  type Translated,
  textAt,
} from './translate.ts';

/** Names of the bodies here by their names in Firecrawl. */
const BODIES: Readonly<Record<string, string>> = {
  markdown: 'markdown',
  html: 'cleanHtml',
  rawHtml: 'rawHtml',
  links: 'links',
};
/** Maximum length of the name of an extracted field. */
const MAX_FIELD_NAME = 100;
const ATTRIBUTE_FIELD = /^attributes (\S+) (.+)$/s;

/** Each format that has an equivalent, for the documentation. */
export const FORMAT_ROWS: readonly (readonly [name: string, becomes: string])[] = [
  ...Object.entries(BODIES).map(([name, body]) => [name, `\`${body}\``] as const),
  ['screenshot', '`config.screenshot`: viewport, or full with fullPage; the document has a link that requires the key'],
  ['attributes', '`config.fields` with `many`: one list per selector and attribute'],
  [
    'json',
    '`config.extract` with schema and prompt, through the only model connection of the workspace or the one in connectionId',
  ],
  ['any other', 'refused with the code UNSUPPORTED_FORMAT'],
];

export const formats = fieldOf('`config.formats`, `config.screenshot`, `config.fields`', translateFormats);

/** Translates `formats`: names, or objects with a type and options. @throws Refusal */
function translateFormats(value: unknown, name: string): Translated {
  const bodies = new Set<string>();
  let settings: FormatSettings = {};
  for (const [at, each] of listAt(value, name).entries()) {
    const where = `${name}[${at}]`;
    const given: Settings = isObject(each) ? each : { type: each };
    const { type, ...options } = given;
    const requested = textAt(type, where);
    const body = entryOf(BODIES, requested);
    if (body === undefined) settings = mergeFormats(settings, settingsOf(requested, options, where));
    else {
      bodies.add(body);
      refuseOptions(options, where);
    }
  }
  // A page is stored with at least one body.
  return { config: { ...settings, formats: bodies.size === 0 ? ['markdown'] : [...bodies] } };
}

/** The keys of the configuration that a format sets. */
interface FormatSettings {
  readonly screenshot?: string;
  readonly fields?: Settings;
  readonly extract?: Settings;
}

/** Translators of the formats that are no bodies, by name. */
const TRANSLATORS: Readonly<Record<string, (options: Settings, where: string) => FormatSettings>> = {
  screenshot: (options, where) => ({ screenshot: screenshotOf(options, { where, isFull: false }) }),
  'screenshot@fullPage': (options, where) => ({ screenshot: screenshotOf(options, { where, isFull: true }) }),
  attributes: (options, where) => ({ fields: attributesOf(options, where) }),
  json: (options, where) => ({ extract: extractOf(options, where) }),
};

function settingsOf(name: string, options: Settings, where: string): FormatSettings {
  const translate = entryOf(TRANSLATORS, name) ?? refuseFormat(name);
  return translate(options, where);
}

/** The fields of several formats add up; of other keys the last counts. */
function mergeFormats(left: FormatSettings, right: FormatSettings): FormatSettings {
  const fields = { ...left.fields, ...right.fields };
  return { ...left, ...right, ...(Object.keys(fields).length === 0 ? {} : { fields }) };
}

function refuseOptions(options: Settings, where: string): void {
  for (const option of Object.keys(options)) refuseOption(`${where}.${option}`);
}

function screenshotOf(
  { fullPage, ...options }: Settings,
  { where, isFull }: { readonly where: string; readonly isFull: boolean },
): string {
  refuseOptions(options, where);
  return isFull || (fullPage !== undefined && flagAt(fullPage, `${where}.fullPage`)) ? 'full' : 'viewport';
}

/** The connection to the model is added later, unless the format names it. */
function extractOf({ schema, prompt, connectionId, ...options }: Settings, where: string): Settings {
  refuseOptions(options, where);
  if (!isObject(schema)) refuseValue(`${where}.schema`, 'a JSON Schema of an object in the format json');
  return {
    schema,
    ...(prompt === undefined ? {} : { prompt: textAt(prompt, `${where}.prompt`) }),
    ...(connectionId === undefined ? {} : { connection_id: textAt(connectionId, `${where}.connectionId`) }),
  };
}

/** Returns a list of all matches per selector and attribute, under a name that `attributesIn` reads. */
function attributesOf({ selectors, ...options }: Settings, where: string): Settings {
  refuseOptions(options, where);
  return Object.fromEntries(
    listAt(selectors, `${where}.selectors`).map((each, at) => {
      const place = `${where}.selectors[${at}]`;
      const { selector: rawSelector, attribute: rawAttribute } = objectAt(each, place);
      const selector = textAt(rawSelector, `${place}.selector`);
      const attribute = textAt(rawAttribute, `${place}.attribute`);
      const fieldName = `attributes ${attribute} ${selector}`;
      if (fieldName.length > MAX_FIELD_NAME || !ATTRIBUTE_FIELD.test(fieldName))
        refuseValue(place, `a selector and an attribute of together at most ${MAX_FIELD_NAME - 12} characters`);
      return [fieldName, { selector, attribute, many: true }];
    }),
  );
}

/** Returns the attributes among the extracted fields of a page as Firecrawl lists them. */
export function attributesIn(fields: Settings | null): readonly Settings[] {
  return Object.entries(fields ?? {}).flatMap(([name, values]) => {
    const [, attribute, selector] = ATTRIBUTE_FIELD.exec(name) ?? [];
    return attribute === undefined ? [] : [{ selector, attribute, values: Array.isArray(values) ? values : [] }];
  });
}
