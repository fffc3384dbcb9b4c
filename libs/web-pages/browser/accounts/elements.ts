import { run } from './run-action.ts';

/** Makes an element; children that are strings become text, never markup. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Makes a button that runs an action. The page has one main button; the others are `second`. */
export function button(
  text: string,
  action: () => Promise<void>,
  kind: 'main' | 'second' = 'second',
): HTMLButtonElement {
  const made = el('button', { type: 'button', className: kind === 'main' ? '' : kind }, text);
  made.addEventListener('click', () => run(made, action));
  return made;
}

export interface SmallField {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'password';
  /** By which browsers and password managers fill the field. */
  readonly fill?: AutoFill;
  readonly value?: string;
  readonly maxLength?: number;
}

/** Values of a form by the names of its fields. */
export type FormValues = Readonly<Record<string, string>>;

interface SmallForm {
  readonly id: string;
  readonly fields: readonly SmallField[];
  /** Text of its button. */
  readonly submit: string;
}

/** Makes a form of labelled fields, whose values are passed to the action. */
export function smallForm(
  { id, fields, submit }: SmallForm,
  action: (values: FormValues) => Promise<void>,
): HTMLFormElement {
  const made = el('form', { id });
  for (const { name, label, type = 'text', fill = 'off', value = '', maxLength = 1024 } of fields) {
    const input = el('input', {
      id: `${id}-${name}`,
      name,
      type,
      required: true,
      value,
      maxLength,
      autocomplete: fill,
    });
    made.append(el('div', { className: 'field' }, el('label', { htmlFor: input.id }, label), input));
  }
  const send = el('button', { type: 'submit' }, submit);
  made.append(send);
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(send, () => action(valuesOf(made)));
  });
  return made;
}

/** Reads the values of a form. */
export function valuesOf(made: HTMLFormElement): FormValues {
  const values = [...new FormData(made)].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  return Object.fromEntries(values);
}
