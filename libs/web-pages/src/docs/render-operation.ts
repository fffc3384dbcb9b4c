import { STATUS_CODES } from 'node:http';
import { type Html, html } from '@tidemark/html';
import { codeSamples } from './code-samples.ts';
import { chapterHref, linkTo } from './docs-links.ts';
import type { Document, Operation, Parameter, ResponseDescription } from './openapi.ts';
import { phrase, prose } from './prose.ts';
import { codeBox, renderCurl, renderJson } from './render-code.ts';
import { earlierShown, renderFields, renderParameters, type ShownFields } from './render-schema.ts';
import { fieldsOf } from './schema.ts';

export const methodBadge = (method: string): Html =>
  html`<span class="method ${method}">${method.toUpperCase()}</span>`;

export const scopeBadge = (scope: string): Html =>
  html`<a class="scope ${scope}" href="${chapterHref('authentication')}">${scope === 'public' ? 'no key required' : `${scope} scope`}</a>`;

/** Renders one route: description and input next to an example request and response. `shown`: the fields that the page has so far. */
export function renderOperation(operation: Operation, document: Document, shown: ShownFields): Html {
  const { id, method, path, summary, description, scope } = operation;
  return html`<article class="route" id="${id}">
<div class="about">
<h3><a href="#${id}">${summary}</a></h3>
<p class="line">${methodBadge(method)}<code class="path">/v1${renderPath(path)}</code>${scopeBadge(scope)}</p>
${prose(description)}
${renderInput(operation, document, shown)}
${operation.responses.map((response) => renderResponseFields(response, operation, { document, shown }))}
${renderErrors(operation, document)}
</div>
<div class="example">
${codeBox('Request', renderCurl(operation, document.serverUrl), 'command')}
${renderSamples(operation, document)}
${renderResponse(operation)}
</div>
</article>`;
}

const renderPath = (path: string): Html[] =>
  path.split(/(\{\w+\})/).map((piece) => (piece.startsWith('{') ? html`<em>${piece}</em>` : html`${piece}`));

function renderInput(operation: Operation, { schemas }: Document, shown: ShownFields): Html[] {
  const { parameters, body } = operation;
  const list = (title: string, places: readonly string[]): Html[] => {
    const chosen: readonly Parameter[] = parameters.filter((one) => places.includes(one.in));
    return chosen.length === 0 ? [] : [html`<h4>${title}</h4>${renderParameters(chosen, schemas)}`];
  };
  const fields = body === undefined ? [] : fieldsOf(body.schema, schemas);
  return [
    ...list('Parameters', ['path', 'query']),
    ...list('Headers', ['header']),
    ...(fields.length === 0 ? [] : [html`<h4>Body</h4>${renderFields(fields, schemas, { at: operation, shown })}`]),
  ];
}

function renderResponseFields(
  { status, schema, type }: ResponseDescription,
  operation: Operation,
  { document: { schemas }, shown }: { readonly document: Document; readonly shown: ShownFields },
): Html {
  const fields = schema === undefined ? [] : fieldsOf(schema, schemas);
  const name = `${status} ${STATUS_CODES[status] ?? ''}`;
  if (fields.length === 0)
    return html`<p class="response-line"><span class="status">${name}</span>${type ?? 'no body'}</p>`;
  const earlier = earlierShown(fields, operation, shown);
  if (earlier !== undefined)
    return html`<p class="response-line"><span class="status">${name}</span>${fields.length} fields, described at ${linkTo(earlier)}</p>`;
  return html`<details class="response-fields"><summary><span class="status">${name}</span>${fields.length} fields</summary>${renderFields(
    fields,
    schemas,
    { marked: 'optional', at: operation, shown },
  )}</details>`;
}

/** Renders the errors that the route can answer; those of every route are described in the guide. */
function renderErrors({ errors, scope }: Operation, { sharedErrors }: Document): Html {
  const shared = scope === 'public' ? [] : sharedErrors.map((error) => JSON.stringify(error));
  const own = errors.filter((error) => !shared.includes(JSON.stringify(error)));
  return html`<details class="response-fields"><summary><span class="status bad">Errors</span>${errors
    .map(({ status }) => status)
    .join(', ')}</summary><ul class="fields">${own.map(
    ({ status, codes, description }) =>
      html`<li><div><code class="name">${status}</code>${codes.map(
        (code) => html`<a class="type" href="${chapterHref('errors', `error-${code}`)}">${code}</a>`,
      )}</div><p>${phrase(description)}</p></li>`,
  )}${
    shared.length === 0
      ? undefined
      : html`<li><p>and the <a href="${chapterHref('errors', 'errors-shared')}">errors of every route</a></p></li>`
  }</ul></details>`;
}

/** Renders the same request in other languages. */
const renderSamples = (operation: Operation, { serverUrl }: Document): Html[] =>
  codeSamples(operation, serverUrl).map(
    ({ language, code }) =>
      html`<details class="response-fields"><summary>${language}</summary>${codeBox(language, code, 'command')}</details>`,
  );

function renderResponse({ responses }: Operation): Html {
  const shown = responses.find(({ example }) => example !== undefined) ?? responses[0];
  if (shown === undefined) return html``;
  const { status, type, example } = shown;
  const caption = html`Response <span class="status">${status}</span>`;
  if (typeof example === 'string') return codeBox(caption, example);
  return codeBox(caption, example === undefined ? (type ?? 'no body') : renderJson(example));
}
