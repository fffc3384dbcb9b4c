import type { Action } from '../page/render-task.ts';

/** Maximum actions of a configuration. */
export const MAX_ACTIONS = 50;
/** Maximum characters of one typed text. */
const MAX_TEXT = 10_000;

/** Adds an action; a text for the field of the last one continues its text. */
export function withAction(actions: readonly Action[], added: Action): readonly Action[] {
  const last = actions.at(-1);
  if (added.kind !== 'type' || last?.kind !== 'type' || last.selector !== added.selector) return [...actions, added];
  if (last.text.length + added.text.length > MAX_TEXT) return [...actions, added];
  return [...actions.slice(0, -1), { ...last, text: last.text + added.text }];
}

/** Removes the last character typed into the field; undefined if the last action did not type into it. */
export function withoutLastCharacter(actions: readonly Action[], selector: string): readonly Action[] | undefined {
  const last = actions.at(-1);
  if (last?.kind !== 'type' || last.selector !== selector) return undefined;
  const text = [...last.text].slice(0, -1).join('');
  return text === '' ? actions.slice(0, -1) : [...actions.slice(0, -1), { ...last, text }];
}

/** Removes every text typed into a field that turned out to be secret. */
export const withoutTextsOf = (actions: readonly Action[], selector: string): readonly Action[] =>
  actions.filter((action) => action.kind !== 'type' || action.selector !== selector);
