import { z } from 'zod';

const MAX_SELECTOR = 1_000;
const MAX_OPTIONS = 500;
const MAX_TEXT = 1_000;

const Options = z.array(z.object({ value: z.string(), label: z.string(), selected: z.boolean() }));

/** An element of the page, as input finds it. */
const Found = z.discriminatedUnion('kind', [
  /** Nothing there, or nothing but the page itself. */
  z.object({ kind: z.literal('none') }),
  /** In a frame or a shadow tree, which selectors do not reach. */
  z.object({ kind: z.literal('unreachable') }),
  z.object({
    kind: z.literal('element'),
    selector: z.string(),
    isSecret: z.boolean(),
    isTextField: z.boolean(),
    /** Of a list of options that opens on a click. */
    options: Options.optional(),
  }),
]);
export type FoundElement = z.infer<typeof Found>;

const Picked = z.object({
  selector: z.string(),
  tag: z.string(),
  text: z.string(),
  similar: z.object({ selector: z.string(), count: z.number() }).optional(),
  box: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
});
export type PickedElement = z.infer<typeof Picked>;

/** Reads the result of `atPointScript` and `focusedScript`; an evaluation that failed found nothing. */
export const toFound = (value: unknown): FoundElement => {
  const found = Found.safeParse(value);
  return found.success ? found.data : { kind: 'none' };
};

/** Reads the result of `pickScript`; undefined: nothing was found. */
export const toPicked = (value: unknown): PickedElement | undefined => Picked.safeParse(value).data;

/**
 * Makes selectors that match one element only and survive changes of the page: ids, attributes for tests, names and labels first, positions last.
 * Generated names (hashes, counters) are not used.
 */
const SELECTORS = `
  const matches = (selector) => {
    try {
      return document.querySelectorAll(selector);
    } catch {
      return [];
    }
  };
  const isOnly = (selector, el) => {
    const found = selector.length > ${MAX_SELECTOR} ? [] : matches(selector);
    return found.length === 1 && found[0] === el;
  };
  const isLasting = (name) =>
    name !== '' && name.length <= 60 && !/\\d{3}|^:|:$/.test(name) &&
    !name.split(/[-_:]/).some((part) => part.length >= 5 && /\\d/.test(part) && /[a-z]/i.test(part));
  const TEST_ATTRIBUTES = ['data-testid', 'data-test', 'data-test-id', 'data-cy', 'data-qa'];
  const LABEL_ATTRIBUTES = ['name', 'aria-label', 'placeholder', 'title', 'alt', 'href', 'for', 'type', 'value'];
  const byAttribute = (el, name, prefix) => {
    const value = el.getAttribute(name);
    const isUsable = value !== null && value !== '' && value.length <= 200 && !/[\\u0000-\\u001f]/.test(value);
    // The value of a field is what was typed into it.
    if (!isUsable || (name === 'value' && !/^(radio|checkbox|submit|button)$/.test(el.type ?? ''))) return [];
    return [prefix + '[' + name + '="' + value.replace(/["\\\\]/g, '\\\\$&') + '"]'];
  };
  const tagOf = (el) => CSS.escape(el.localName);
  const classesOf = (el) => [...el.classList].filter(isLasting).slice(0, 4).map((name) => '.' + CSS.escape(name));
  const namesOf = (el) => [
    ...(isLasting(el.id) ? ['#' + CSS.escape(el.id)] : []),
    ...TEST_ATTRIBUTES.flatMap((name) => byAttribute(el, name, '')),
    ...LABEL_ATTRIBUTES.flatMap((name) => byAttribute(el, name, tagOf(el))),
    ...classesOf(el).map((name) => tagOf(el) + name),
    tagOf(el) + classesOf(el).join(''),
    tagOf(el),
  ];
  const stepOf = (el) => {
    const same = [...(el.parentElement?.children ?? [])].filter(({ localName }) => localName === el.localName);
    return same.length < 2 ? tagOf(el) : tagOf(el) + ':nth-of-type(' + (same.indexOf(el) + 1) + ')';
  };
  const selectorOf = (el) => {
    const names = namesOf(el);
    const own = names.find((selector) => isOnly(selector, el));
    if (own !== undefined) return own;
    let path = stepOf(el);
    for (let above = el.parentElement; above !== null; above = above.parentElement) {
      const parent = namesOf(above).find((selector) => isOnly(selector, above));
      if (parent !== undefined) {
        const found = [...names.map((name) => parent + ' ' + name), parent + ' > ' + path].find((one) => isOnly(one, el));
        if (found !== undefined) return found;
      }
      path = stepOf(above) + ' > ' + path;
    }
    return isOnly(path, el) ? path : undefined;
  };`;

/**
 * Recognises fields of secrets: passwords, also those that a script shows as plain text, one-time codes and payment cards
 * (https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill).
 */
const SECRETS = `
  const SECRET_FILL = /(^|\\s)(current-password|new-password|one-time-code|cc-\\S+)(\\s|$)/;
  const SECRET_NAME = /passw|passcode|passphrase|\\bpass\\b|pwd|kennwort|contrase|senha|mot.?de.?passe|secret|\\botp\\b|\\bpin\\b|\\bcvc|\\bcvv|card.?number/i;
  // The isolated world lasts as long as its document.
  globalThis.tidemarkSecrets ??= new WeakSet();
  const isSecret = (el) => {
    const isField = el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement;
    if (!isField && !el.isContentEditable) return false;
    const names = [el.id, el.getAttribute('name'), el.getAttribute('aria-label'), el.getAttribute('placeholder'),
      ...[...(el.labels ?? [])].map((label) => label.textContent)].join(' ').slice(0, 500);
    const security = getComputedStyle(el).getPropertyValue('-webkit-text-security');
    const isOne = el.type === 'password' || SECRET_FILL.test(el.getAttribute('autocomplete') ?? '') || SECRET_NAME.test(names) ||
      (security !== '' && security !== 'none');
    if (isOne) globalThis.tidemarkSecrets.add(el);
    return globalThis.tidemarkSecrets.has(el);
  };`;

const DESCRIBE = `${SELECTORS}${SECRETS}
  const FRAMES = new Set(['iframe', 'frame', 'object', 'embed']);
  const BUTTONS = new Set(['button', 'checkbox', 'color', 'file', 'hidden', 'image', 'radio', 'range', 'reset', 'submit']);
  const describe = (el) => {
    const selector = selectorOf(el);
    if (selector === undefined) return { kind: 'unreachable' };
    const isInput = el instanceof HTMLInputElement && !BUTTONS.has(el.type);
    const isTextField = (isInput || el instanceof HTMLTextAreaElement || el.isContentEditable) && !el.readOnly;
    const isList = el instanceof HTMLSelectElement && !el.multiple && el.size <= 1;
    const options = isList
      ? [...el.options].filter((one) => !one.disabled).slice(0, ${MAX_OPTIONS}).map((one) => (
          { value: one.value.slice(0, ${MAX_TEXT}), label: one.label.slice(0, 200), selected: one.selected }))
      : undefined;
    return { kind: 'element', selector, isSecret: isSecret(el), isTextField, options };
  };
  // What a person means by a point on the label of a button is the button.
  const OPERABLE = 'a[href], button, input, select, textarea, label, summary, [role=button], [role=link], [role=tab], [role=menuitem], [role=option], [role=checkbox], [role=radio], [role=switch], [contenteditable=""], [contenteditable=true]';`;

/** Finds the element that a click at the point operates. */
export const atPointScript = (x: number, y: number): string => `(() => {${DESCRIBE}
  const hit = document.elementFromPoint(${x}, ${y});
  if (hit === null || hit === document.documentElement || hit === document.body) return { kind: 'none' };
  if (FRAMES.has(hit.localName)) return { kind: 'unreachable' };
  return describe(hit.closest(OPERABLE) ?? hit);
})()`;

/** Finds the element that has the focus. */
export const focusedScript = `(() => {${DESCRIBE}
  const el = document.activeElement;
  if (el === null || el === document.documentElement || (el === document.body && !el.isContentEditable)) return { kind: 'none' };
  return FRAMES.has(el.localName) || el.shadowRoot !== null ? { kind: 'unreachable' } : describe(el);
})()`;

/** Finds the element at the point, with a selector of elements like it. */
export const pickScript = (x: number, y: number): string => `(() => {${SELECTORS}
  const el = document.elementFromPoint(${x}, ${y});
  if (el === null || el === document.documentElement) return undefined;
  const selector = selectorOf(el);
  if (selector === undefined) return undefined;
  const parent = el.parentElement === null ? undefined : selectorOf(el.parentElement);
  const groups = [...classesOf(el).map((name) => tagOf(el) + name), ...(parent === undefined ? [] : [parent + ' > ' + tagOf(el)])];
  const similar = groups
    .map((one) => ({ selector: one, count: matches(one).length }))
    .find(({ count }) => count > 1 && count <= 1_000);
  const { x, y, width, height } = el.getBoundingClientRect();
  const text = (el.innerText ?? el.textContent ?? '').trim().replace(/\\s+/g, ' ').slice(0, ${MAX_TEXT});
  return { selector, tag: el.localName, text, similar, box: { x, y, width, height } };
})()`;
