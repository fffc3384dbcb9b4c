import { type Html, html, phrase } from './html.ts';
import { asObject, asText, type Json, type Parameter } from './openapi.ts';
import { alternatives, boundsOf, choicesOf, type Field, fieldsOf, mainType, resolve, typeText } from './schema.ts';

const DEPTH_MAX = 5;

/** What is worth a word: in what we take, the fields that must be there; in what we answer, those that may be missing. */
type Told = 'required' | 'optional';

/** The parameters of a route, as a list of rows. */
export const renderParameters = (parameters: readonly Parameter[], schemas: Json): Html =>
  html`<ul class="fields">${parameters.map((one) =>
    renderRow({ ...one, told: 'required', where: one.in, nested: undefined }, one.schema, schemas),
  )}</ul>`;

/** The fields of an object, those of objects inside it set in. */
export function renderFields(fields: readonly Field[], schemas: Json, told: Told = 'required', depth = 0): Html {
  return html`<ul class="fields">${fields.map(({ name, required, schema }) => {
    const inner = depth < DEPTH_MAX ? innerFields(schema, schemas) : [];
    const nested = inner.length === 0 ? undefined : renderFields(inner, schemas, told, depth + 1);
    return renderRow({ name, required, told, where: undefined, description: '', nested }, schema, schemas);
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
  readonly told: Told;
  readonly where: string | undefined;
  readonly description: string;
  readonly nested: Html | undefined;
}

function renderRow(row: Row, schema: Json, schemas: Json): Html {
  const resolved = resolve(schema, schemas);
  const says = row.description || asText(schema['description']) || asText(resolved['description']);
  const bounds = [resolved, ...alternatives(resolved)].flatMap(boundsOf);
  const choices = choicesOf(resolved, schemas);
  const fallback = resolved['default'];
  return html`<li>
<div class="field"><code class="name">${row.name}</code><span class="type">${typeText(schema, schemas)}</span>${
    row.where === undefined ? undefined : html`<span class="where">${row.where}</span>`
  }${row.required === (row.told === 'required') ? html`<span class="${row.told}">${row.told}</span>` : undefined}</div>
${says === '' ? undefined : html`<p>${phrase(says)}</p>`}
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
