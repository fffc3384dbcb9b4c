import { alternatives, asObject, asText, choicesOf, type Json, mainType, resolve } from '@tidemark/api';
import { type Html, html } from '@tidemark/html';
import { linkTo } from './docs-links.ts';
import type { Operation, Parameter } from './openapi.ts';
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

/** Lists of fields that a page has so far, with the route at which each is described: a page describes a list once. */
export type ShownFields = Map<string, Operation>;

/** Shorter lists are described wherever they occur. */
const REPEATED_FIELDS = 2;

/** Returns the other route of the page at which these fields are described; undefined: they are described at this one. */
export function earlierShown(fields: readonly Field[], at: Operation, shown: ShownFields): Operation | undefined {
  if (fields.length <= REPEATED_FIELDS) return undefined;
  const key = JSON.stringify(fields);
  const earlier = shown.get(key);
  if (earlier === undefined) shown.set(key, at);
  return earlier === at ? undefined : earlier;
}

export interface FieldOptions {
  readonly marked?: Marked;
  readonly depth?: number;
  /** The route that has the fields, and what the page describes so far; undefined: every object is described. */
  readonly at?: Operation;
  readonly shown?: ShownFields;
}

/** Renders the fields of an object, with nested fields indented. */
export function renderFields(fields: readonly Field[], schemas: Json, options: FieldOptions = {}): Html {
  const { marked = 'required' } = options;
  return html`<ul class="fields">${fields.map(({ name, required, schema }) => {
    const nested = renderInner(schema, schemas, options);
    return renderRow({ name, required, marked, where: undefined, description: '', nested }, schema, schemas);
  })}</ul>`;
}

/** Renders the fields of a nested object, or a link to the route at which they are described. */
function renderInner(schema: Json, schemas: Json, options: FieldOptions): Html | undefined {
  const { depth = 0, at, shown } = options;
  const inner = depth < DEPTH_MAX ? innerFields(schema, schemas) : [];
  if (inner.length === 0) return undefined;
  const earlier = at === undefined || shown === undefined ? undefined : earlierShown(inner, at, shown);
  if (earlier !== undefined) return html`<p class="same">${inner.length} fields, described at ${linkTo(earlier)}</p>`;
  return renderFields(inner, schemas, { ...options, depth: depth + 1 });
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
  return html`<li><div><code class="name">${row.name}</code><span class="type">${typeText(schema, schemas)}</span>${
    row.where === undefined ? undefined : html`<span class="where">${row.where}</span>`
  }${row.required === (row.marked === 'required') ? html`<span class="${row.marked}">${row.marked}</span>` : undefined}</div>${description === '' ? undefined : html`<p>${phrase(description)}</p>`}${choices.length === 0 ? undefined : html`<p class="choices">${choices.map((one) => html`<code>${one}</code> `)}</p>`}${renderLimits(bounds, fallback)}${row.nested}</li>`;
}

function renderLimits(bounds: readonly string[], fallback: unknown): Html | undefined {
  const shown =
    fallback === undefined || fallback === '' ? [] : [html`default <code>${JSON.stringify(fallback)}</code>`];
  const limits = [...shown, ...[...new Set(bounds)].map((bound) => html`${bound}`)];
  return limits.length === 0
    ? undefined
    : html`<p class="limits">${limits.map((one) => html`<span>${one}</span>`)}</p>`;
}
