export type TemplateId =
  | 'price_below'
  | 'field_below'
  | 'text_appears'
  | 'text_disappears'
  | 'page_gone'
  | 'back_in_stock'
  | 'title_changed'
  | 'canonical_changed'
  | 'verdict_changed';

/** A value that a person enters for a template. */
export interface TemplateParameter {
  readonly name: 'price' | 'field' | 'value' | 'text';
  readonly type: 'number' | 'text' | 'field';
}

/** A condition that is made from a few values. */
export interface AlertTemplate {
  readonly id: TemplateId;
  readonly parameters: readonly TemplateParameter[];
  /** Returns the expression. Texts are quoted; a number that is not finite is 0. */
  readonly when: (values: Readonly<Record<string, string>>) => string;
}

const quoted = (text = ''): string => JSON.stringify(text.slice(0, 500));
const number = (text = ''): string => String(Number.isFinite(Number(text)) ? Number(text) : 0);
/** Reads a field by its name, whatever characters it has. */
const field = (name = ''): string => (/^[A-Za-z_]\w*$/.test(name) ? `fields.${name}` : `fields[${quoted(name)}]`);

/** Conditions that people need most. */
export const ALERT_TEMPLATES: readonly AlertTemplate[] = [
  {
    id: 'price_below',
    parameters: [{ name: 'price', type: 'number' }],
    when: ({ price }) => `product.price.after < ${number(price)}`,
  },
  {
    id: 'field_below',
    parameters: [
      { name: 'field', type: 'field' },
      { name: 'value', type: 'number' },
    ],
    when: ({ field: name, value }) => `${field(name)}.after < ${number(value)}`,
  },
  {
    id: 'text_appears',
    parameters: [{ name: 'text', type: 'text' }],
    when: ({ text }) => `mentions(entry.text_added, ${quoted(text)})`,
  },
  {
    id: 'text_disappears',
    parameters: [{ name: 'text', type: 'text' }],
    when: ({ text }) => `mentions(entry.text_removed, ${quoted(text)}) && !mentions(entry.text_added, ${quoted(text)})`,
  },
  { id: 'page_gone', parameters: [], when: () => "kind == 'removed'" },
  {
    id: 'back_in_stock',
    parameters: [],
    when: () => 'product.inStock.changed && product.inStock.after == true',
  },
  { id: 'title_changed', parameters: [], when: () => 'head.title.changed' },
  { id: 'canonical_changed', parameters: [], when: () => 'head.canonical.changed' },
  { id: 'verdict_changed', parameters: [], when: () => 'page.verdict != page.verdict_before' },
];
