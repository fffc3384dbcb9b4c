import { refuseOption } from './refusal.ts';
import { entryOf, fieldOf, listAt, objectAt, type Settings, type Translated, textAt } from './translate.ts';

/** Options of each action that have an equivalent. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  wait: ['milliseconds', 'selector'],
  click: ['selector'],
  write: ['text'],
  press: ['key'],
  scroll: ['direction'],
};

/** Each action that has an equivalent, for the documentation. */
export const ACTION_ROWS: readonly (readonly [name: string, becomes: string])[] = [
  ...Object.entries(OPTIONS).map(
    ([name, options]) => [name, `\`${name === 'write' ? 'type' : name}\` with ${options.join(' or ')}`] as const,
  ),
  ['any other', 'refused'],
];

export const actions = fieldOf('`config.actions`; `write` must follow a click', translateActions);

/**
 * Translates the actions before a page is read. Firecrawl writes into the focused element; here the element is named, so `write` must follow
 * a click.
 * @throws Refusal
 */
function translateActions(value: unknown, name: string): Translated {
  let clicked: string | undefined;
  const translated = listAt(value, name).map((each, at) => {
    const where = `${name}[${at}]`;
    const action = objectAt(each, where);
    if (action['type'] === 'click') clicked = textAt(action['selector'], `${where}.selector`);
    return actionOf(action, { where, clicked });
  });
  return { config: { actions: translated } };
}

function actionOf(
  { type: rawType, ...options }: Settings,
  { where, clicked }: { readonly where: string; readonly clicked: string | undefined },
): Settings {
  const type = textAt(rawType, `${where}.type`);
  const known = entryOf(OPTIONS, type);
  if (known === undefined)
    refuseOption(`${where} of type ${type.slice(0, 40)}`, 'use wait, click, write, press or scroll');
  for (const [option, value] of Object.entries(options))
    if (value !== undefined && value !== false && !known.includes(option)) refuseOption(`${where}.${option}`);
  const { milliseconds, selector, text, key, direction } = options;
  if (type === 'write') {
    if (clicked === undefined) refuseOption(where, 'write must follow a click on the element that is typed into');
    return { type: 'type', selector: clicked, text };
  }
  if (type === 'press') return { type, key };
  if (type === 'scroll') return { type, to: direction ?? 'down' };
  if (type === 'click') return { type, selector };
  const duration = milliseconds === undefined ? {} : { ms: milliseconds };
  return { type, ...duration, ...(selector === undefined ? {} : { selector }) };
}
