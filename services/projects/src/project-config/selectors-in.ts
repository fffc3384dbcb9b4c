import type { ConfigValues } from '../domain/config-values.ts';

/** A selector and its place in the config. */
export interface PlacedSelector {
  readonly selector: string;
  readonly loc: readonly (string | number)[];
}

const LISTS = ['include_selectors', 'exclude_selectors', 'volatile_selectors'] as const;

const selectorOf = (rule: unknown): unknown =>
  typeof rule === 'object' && rule !== null && 'selector' in rule ? rule.selector : undefined;

/** Returns every selector that is matched against stored pages. Selectors that a browser waits for are not included. */
export function selectorsIn(config: ConfigValues): PlacedSelector[] {
  const { fields } = config;
  const listed = LISTS.flatMap((key) => {
    const list = config[key];
    return Array.isArray(list) ? list.map((selector: unknown, at) => ({ selector, loc: [key, at] })) : [];
  });
  const fieldRules =
    typeof fields === 'object' && fields !== null
      ? Object.entries(fields).map(([name, rule]) => ({
          selector: selectorOf(rule),
          loc: ['fields', name, 'selector'],
        }))
      : [];
  return [...listed, ...fieldRules].flatMap(({ selector, loc }) =>
    typeof selector === 'string' ? [{ selector, loc }] : [],
  );
}
