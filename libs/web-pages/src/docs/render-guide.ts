import { invalidExample } from '@tidemark/api';
import { CODES } from '@tidemark/errors';
import { type Html, html } from '@tidemark/html';
import { SAMPLE_PREAMBLES } from './code-samples.ts';
import { linkTo, routeLink } from './docs-links.ts';
import { ERROR_MEANINGS } from './error-meanings.ts';
import type { Document, Operation } from './openapi.ts';
import { phrase } from './prose.ts';
import { chapter } from './render-chapter.ts';
import { codeBox, renderCommand, renderCurl, renderJson } from './render-code.ts';
import { scopeBadge } from './render-operation.ts';
import { renderParameters } from './render-schema.ts';

/** Renders the chapters of the guide. */
export const renderGuide = (document: Document): Html[] => [
  start(document),
  authentication(document),
  limits(),
  requests(document),
  errors(document),
];

/** Returns the first route with an example body, so that its command can be pasted. */
const firstCall = ({ operations }: Document): Operation | undefined =>
  operations.find(({ body }) => body?.example !== undefined) ?? operations[0];

function start(document: Document): Html {
  const first = firstCall(document);
  const about = html`<ol class="steps">
<li><p>Get an API key. <code>npm start</code> stores the first one in <code>.tidemark/credentials.json</code>; create others with ${routeLink(document, 'createKey')}.</p></li>
<li><p>Export it as <code>TIDEMARK_API_KEY</code>, then paste a command from this page.</p></li>
<li><p>Check <code>verdict</code> and <code>signals</code> of the response before its content: they state whether the page was read and on what evidence.</p></li>
</ol>
<p>All paths are relative to <code class="address">${document.serverUrl}</code>. Bodies are JSON in UTF-8, times are ISO 8601 in UTC. Every response has <code>X-Request-Id</code>; responses with a job have its cost in <code>X-Service-Credits</code>.</p>
<p>Every route also accepts these headers:</p>${renderParameters(document.sharedParameters, document.schemas)}`;
  const commands = [
    codeBox('Once per shell', renderCommand(['export TIDEMARK_API_KEY=service_…']), 'command'),
    ...Object.entries(SAMPLE_PREAMBLES).map(([language, code]) =>
      codeBox(`Before the ${language} examples`, code, 'command'),
    ),
    first === undefined ? undefined : codeBox(first.summary, renderCurl(first, document.serverUrl), 'command'),
  ];
  return chapter('start', about, commands);
}

const SCOPES = [
  { scope: 'read', description: 'Read jobs, pages and usage.' },
  { scope: 'write', description: 'Also start and cancel work, which spends credits.' },
  { scope: 'admin', description: 'Also manage the workspace and its keys.' },
];

function authentication({ operations }: Document): Html {
  const count = (scope: string): number => operations.filter((operation) => operation.scope === scope).length;
  const about = html`<p>Send an API key as a bearer token in the <code>Authorization</code> header. The secret is shown once, when the key is created. A revoked key stops working within five seconds.</p>
<p>Each scope includes the scopes above it:</p>
<table><thead><tr><th>Scope</th><th>Permissions</th><th>Routes</th></tr></thead><tbody>${SCOPES.map(
    ({ scope, description }) =>
      html`<tr><td>${scopeBadge(scope)}</td><td>${description}</td><td>${count(scope)}</td></tr>`,
  )}</tbody></table>
<p>A key can be restricted to projects and can have an expiry date and its own rate limit. Browsers can call from any origin with a key; cookies are not used.</p>`;
  return chapter('authentication', about, codeBox('Header', html`<b>Authorization:</b> Bearer service_…`));
}

function limits(): Html {
  const about = html`<p>Requests are counted per minute for the key and for all keys of the workspace, over all servers. Every response to a request with a valid key has these headers, errors included, for the tighter of the two. A request without a valid key has no window: 401 and requests without a key to public routes have no such headers.</p>
<table><tbody>
<tr><td><code>X-RateLimit-Limit</code></td><td>requests per minute allowed</td></tr>
<tr><td><code>X-RateLimit-Remaining</code></td><td>requests left in this window</td></tr>
<tr><td><code>X-RateLimit-Reset</code></td><td>seconds until the window ends</td></tr>
</tbody></table>
<p>Requests over the limit get 429 <code>rate_limited</code> with the seconds to wait in <code>Retry-After</code>. The limit of a key is the lowest of the limit of the plan, <code>rpm</code> of the key and <code>max_rpm</code> of the workspace. The limit of the plan also applies to all keys of the workspace together.</p>`;
  const headers = [
    ['HTTP/1.1', ' 429 Too Many Requests'],
    ['Retry-After:', ' 12'],
    ['X-RateLimit-Limit:', ' 60'],
    ['X-RateLimit-Remaining:', ' 0'],
    ['X-RateLimit-Reset:', ' 12'],
  ];
  return chapter(
    'limits',
    about,
    codeBox(
      'Over the limit',
      headers.map(([name, value]) => html`<b>${name}</b>${value}\n`),
    ),
  );
}

function requests({ operations }: Document): Html {
  const repeatable = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'Idempotency-Key'));
  const about = html`<p>To repeat a request safely after a lost response, send the same <code>Idempotency-Key</code> (up to 255 characters) with the same body. For 24 hours the first response is returned with <code>Idempotent-Replayed: true</code>. The same key with another body gets 409. ${
    repeatable.length === 0
      ? undefined
      : html`Supported by ${repeatable.map((operation, index) => html`${index > 0 ? ', ' : ''}${linkTo(operation)}`)}.`
  }</p>
<p>A list returns up to <code>limit</code> entries. <code>next</code> is the URL of the following page and <code>cursor</code> the value for the parameter of that name; both are null at the end. A cursor is valid for its own list only; another one gets 422.</p>
<p>An id that does not exist and one that the key may not see are answered alike. Where it names what a request reads, uses or acts on, the response is 404: in a path, and as <code>run_id</code>, <code>project_id</code>, <code>connection_id</code>, <code>destination</code> or <code>config.login_id</code>. In a list such as <code>projects</code>, and as a connection within <code>config</code>, it is 422 with the name of the field. As a filter of a list it matches nothing.</p>`;
  const list = { data: ['…'], next: '/v1/scrape?limit=25&cursor=Yk3…', cursor: 'Yk3…' };
  return chapter('requests', about, codeBox('A list', renderJson(list)));
}

function errors({ sharedErrors }: Document): Html {
  const rows = Object.entries(ERROR_MEANINGS).map(
    ([code, meaning]) =>
      html`<tr id="error-${code}"><td><code>${code}</code></td><td>${statusOf(code)}</td><td>${phrase(meaning)}</td></tr>`,
  );
  const about = html`<p>All errors have the same shape. <code>error</code> is for people, <code>code</code> is for programs, and <code>detail</code> names the invalid fields of a 422. A page that could not be read is not an error: its row has a <code>verdict</code>.</p>
<table class="errors"><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table>
<h3 id="errors-shared">Errors of every route</h3>
<p>Each route lists its own errors. Every route that requires a key can also answer with these:</p>
<table class="errors"><tbody>${sharedErrors.map(
    ({ status, codes, description }) =>
      html`<tr><td><code>${codes.join(', ')}</code></td><td>${status}</td><td>${phrase(description)}</td></tr>`,
  )}</tbody></table>`;
  return chapter(
    'errors',
    about,
    codeBox(html`Response <span class="status bad">422</span>`, renderJson(invalidExample())),
  );
}

const statusOf = (code: string): number => Object.entries(CODES).find(([name]) => name === code)?.[1].http ?? 500;
