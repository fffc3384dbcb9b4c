import { alternatives, asObject, asText, choicesOf, type Json, mainType, resolve } from '@tidemark/api';
import { type Html, html } from '@tidemark/html';
import type { Parameter } from './openapi.ts';
import { phrase } from './prose.ts';
import { boundsOf, type Field, fieldsOf, typeText } from './schema.ts';

const DEPTH_MAX = 5;

/** Which fields are marked: required ones in requests, optional ones in responses. */
type Marked = 'required' | 'optional';

/** Renders the parameters of a route as a list. */
export const renderParameters = (parameters: readonly Parameter[], schemas: Json): Html =>
  html`<ul class="fields">${parameters.map((one) =>
    renderRow({ ...one, marked: 'required', where: one.in, nested: undefined }, one.schema, schemas),
  )}</ul>`;

/** Renders the fields of an object, with nested fields indented. */
export function renderFields(fields: readonly Field[], schemas: Json, marked: Marked = 'required', depth = 0): Html {
  return html`<ul class="fields">${fields.map(({ name, required, schema }) => {
    const inner = depth < DEPTH_MAX ? innerFields(schema, schemas) : [];
    const nested = inner.length === 0 ? undefined : renderFields(inner, schemas, marked, depth + 1);
    return renderRow({ name, required, marked, where: undefined, description: '', nested }, schema, schemas);
  })}</ul>`;
}

function innerFields(schema: Json, schemas: Json): Field[] {
  const resolved = resolve(schema, schemas);
  const values = asObject(resolved['additionalProperties']);
  const own = fieldsOf(resolved, schemas);
  return own.length > 0 || mainType(resolved) !== 'object' ? own : fieldsOf(values, schemas);
}

interface Row {
  readonly name: string;
  readonly required: boolean;
  readonly marked: Marked;
  readonly where: string | undefined;
  readonly description: string;
  readonly nested: Html | undefined;
}

function renderRow(row: Row, schema: Json, schemas: Json): Html {
  const resolved = resolve(schema, schemas);
  const description = row.description || asText(schema['description']) || asText(resolved['description']);
  const bounds = [resolved, ...alternatives(resolved)].flatMap(boundsOf);
  const choices = choicesOf(resolved, schemas);
  const fallback = resolved['default'];
  return html`<li>
<div class="field"><code class="name">${row.name}</code><span class="type">${typeText(schema, schemas)}</span>${
    row.where === undefined ? undefined : html`<span class="where">${row.where}</span>`
  }${row.required === (row.marked === 'required') ? html`<span class="${row.marked}">${row.marked}</span>` : undefined}</div>
${description === '' ? undefined : html`<p>${phrase(description)}</p>`}
${choices.length === 0 ? undefined : html`<p class="choices">${choices.map((one) => html`<code>${one}</code> `)}</p>`}
${renderLimits(bounds, fallback)}${row.nested}</li>`;
}

function renderLimits(bounds: readonly string[], fallback: unknown): Html | undefined {
  const shown =
    fallback === undefined || fallback === '' ? [] : [html`default <code>${JSON.stringify(fallback)}</code>`];
  const limits = [...shown, ...[...new Set(bounds)].map((bound) => html`${bound}`)];
  return limits.length === 0
    ? undefined
    : html`<p class="limits">${limits.map((one) => html`<span>${one}</span>`)}</p>`;
}
