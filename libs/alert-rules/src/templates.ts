/** A value that a person enters for a template. */
export interface TemplateParameter {
  readonly name: string;
  /** number: a numeric literal; text: a quoted text; field: the name of a configured field. */
  readonly type: 'number' | 'text' | 'field';
}

/** A condition that is made from a few values. */
export interface AlertTemplate {
  readonly id: string;
  readonly parameters: readonly TemplateParameter[];
  /** The expression, with the names of parameters in braces. */
  readonly when: string;
}

/** Conditions that people need most. */
export const ALERT_TEMPLATES = [
  { id: 'price_below', parameters: [{ name: 'price', type: 'number' }], when: 'product.price.after < {price}' },
  {
    id: 'field_below',
    parameters: [
      { name: 'field', type: 'field' },
      { name: 'value', type: 'number' },
    ],
    when: 'fields[{field}].after < {value}',
  },
  {
    id: 'text_appears',
    parameters: [{ name: 'text', type: 'text' }],
    when: 'mentions(entry.text_added, {text})',
  },
  {
    id: 'text_disappears',
    parameters: [{ name: 'text', type: 'text' }],
    when: 'mentions(entry.text_removed, {text}) && !mentions(entry.text_added, {text})',
  },
  { id: 'page_gone', parameters: [], when: "kind == 'removed'" },
  { id: 'back_in_stock', parameters: [], when: 'product.inStock.changed && product.inStock.after == true' },
  { id: 'title_changed', parameters: [], when: 'head.title.changed' },
  { id: 'canonical_changed', parameters: [], when: 'head.canonical.changed' },
  { id: 'verdict_changed', parameters: [], when: 'page.verdict != page.verdict_before' },
] as const satisfies readonly AlertTemplate[];
