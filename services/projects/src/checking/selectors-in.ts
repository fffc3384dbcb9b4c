import type { ConfigValues } from '../domain/config-values.ts';

/** A selector, and where in a config it was given. */
export interface PlacedSelector {
  readonly selector: string;
  readonly loc: readonly (string | number)[];
}

const LISTS = ['include_selectors', 'exclude_selectors', 'volatile_selectors'] as const;

const selectorOf = (rule: unknown): unknown =>
  typeof rule === 'object' && rule !== null && 'selector' in rule ? rule.selector : undefined;

/** Every selector that stored pages are asked by. Those a browser waits for are its own matter. */
export function selectorsIn(config: ConfigValues): PlacedSelector[] {
  const { fields } = config;
  const listed = LISTS.flatMap((key) => {
    const list = config[key];
    return Array.isArray(list) ? list.map((selector: unknown, at) => ({ selector, loc: [key, at] })) : [];
  });
  const ruled =
    typeof fields === 'object' && fields !== null
      ? Object.entries(fields).map(([name, rule]) => ({
          selector: selectorOf(rule),
          loc: ['fields', name, 'selector'],
        }))
      : [];
  return [...listed, ...ruled].flatMap(({ selector, loc }) =>
    typeof selector === 'string' ? [{ selector, loc }] : [],
  );
}
