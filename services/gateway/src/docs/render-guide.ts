import { CODES } from '@tidemark/errors';
import { ERROR_MEANINGS } from './error-meanings.ts';
import { type Html, html, type Part, phrase } from './html.ts';
import type { Document, Operation } from './openapi.ts';
import { codeBox, renderCommand, renderCurl, renderJson } from './render-code.ts';
import { scopeBadge } from './render-operation.ts';

/** The chapters before the routes, in their order: anchor and title. */
export const CHAPTERS = [
  { id: 'start', title: 'Getting started' },
  { id: 'authentication', title: 'Authentication' },
  { id: 'limits', title: 'Rate limits' },
  { id: 'requests', title: 'Retries and lists' },
  { id: 'errors', title: 'Errors' },
] as const;

const chapter = (id: (typeof CHAPTERS)[number]['id'], about: Part, example?: Part): Html => {
  const title = CHAPTERS.find((one) => one.id === id)?.title;
  return html`<section class="route chapter" id="${id}"><div class="about"><h2><a href="#${id}">${title}</a></h2>${about}</div>${
    example === undefined ? undefined : html`<div class="example">${example}</div>`
  }</section>`;
};

export const renderGuide = (document: Document): Html[] => [
  start(document),
  authentication(document),
  limits(),
  requests(document),
  errors(),
];

/** The first thing to try: the route that needs a body and comes with an example, so that it can be pasted. */
const firstCall = ({ operations }: Document): Operation | undefined =>
  operations.find(({ body }) => body?.example !== undefined) ?? operations[0];

function start(document: Document): Html {
  const first = firstCall(document);
  const about = html`<ol class="steps">
<li><p>Take a key. <code>npm start</code> prints the first one and keeps it in <code>.tidemark/credentials.json</code>; later ones come from ${routeLink(document, 'createKey')}.</p></li>
<li><p>Put it where the commands on this page look for it, and paste one.</p></li>
<li><p>Read <code>verdict</code> and <code>signals</code> of the answer before its content: they say whether the page was read, and how we know.</p></li>
</ol>
<p>Every address is below <code class="address">${document.serverUrl}</code>. Bodies are JSON in UTF-8, times are ISO 8601 in UTC. Every answer carries <code>X-Request-Id</code>; an answer that cost something carries <code>X-Service-Credits</code>.</p>`;
  const commands = [
    codeBox('Once per shell', renderCommand(['export TIDEMARK_KEY=service_…']), 'command'),
    first === undefined
      ? undefined
      : codeBox(first.summary, renderCurl(first, document.serverUrl, document.schemas), 'command'),
  ];
  return chapter('start', about, commands);
}

function routeLink({ operations }: Document, id: string): Part {
  const found = operations.find((operation) => operation.id === id);
  return found === undefined
    ? 'the routes below'
    : html`<a href="#${id}"><code>${found.method.toUpperCase()} ${found.path}</code></a>`;
}

const SCOPES = [
  { scope: 'read', says: 'Looks: jobs, pages, usage.' },
  { scope: 'write', says: 'Also spends credits: starts and cancels work.' },
  { scope: 'admin', says: 'Also manages the workspace and its keys.' },
];

function authentication({ operations }: Document): Html {
  const count = (scope: string): number => operations.filter((operation) => operation.scope === scope).length;
  const about = html`<p>A key goes into the <code>Authorization</code> header as a bearer token. Its secret is shown once, when it is made; a revoked key stops working everywhere within five seconds.</p>
<p>Each scope includes those above it:</p>
<table><thead><tr><th>Scope</th><th>Lets a key do</th><th>Routes</th></tr></thead><tbody>${SCOPES.map(
    ({ scope, says }) => html`<tr><td>${scopeBadge(scope)}</td><td>${says}</td><td>${count(scope)}</td></tr>`,
  )}</tbody></table>
<p>A key may be held to some projects, an end date and a rate of its own. Browsers may call from any origin with a key; no cookies are used.</p>`;
  return chapter('authentication', about, codeBox('Header', html`<b>Authorization:</b> Bearer service_…`));
}

function limits(): Html {
  const about = html`<p>Requests are counted per key and minute, over all our servers together. Every answer to a key says where it stands:</p>
<table><tbody>
<tr><td><code>X-RateLimit-Limit</code></td><td>requests this key may make a minute</td></tr>
<tr><td><code>X-RateLimit-Remaining</code></td><td>how many are left in this window</td></tr>
<tr><td><code>X-RateLimit-Reset</code></td><td>seconds until the window ends</td></tr>
</tbody></table>
<p>Past the limit the answer is 429 <code>rate_limited</code>, with the seconds to wait in <code>Retry-After</code>. The rate is the plan’s, lowered by the key’s own <code>rpm</code> and the workspace’s <code>max_rpm</code>.</p>`;
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
  const about = html`<p>A request whose answer got lost can be sent again without doing the work twice: send the same <code>Idempotency-Key</code> (any text of up to 255 characters) with the same body, and for 24 hours the first answer comes back, marked <code>Idempotent-Replayed: true</code>. The same key with another body answers 409. ${
    repeatable.length === 0
      ? undefined
      : html`It is taken by ${repeatable.map(({ id, path }, index) => html`${index > 0 ? ', ' : ''}<a href="#${id}"><code>${path}</code></a>`)}.`
  }</p>
<p>Lists come <code>limit</code> entries at a time. While there is more, <code>next</code> holds the address of the following part and <code>cursor</code> the value for the parameter of that name; at the end both are null.</p>`;
  const list = { data: ['…'], next: '/v1/scrape?cursor=job_01k…', cursor: 'job_01k…' };
  return chapter('requests', about, codeBox('A list', renderJson(list)));
}

function errors(): Html {
  const rows = Object.entries(ERROR_MEANINGS).map(
    ([code, meaning]) =>
      html`<tr id="error-${code}"><td><code>${code}</code></td><td>${statusOf(code)}</td><td>${phrase(meaning)}</td></tr>`,
  );
  const about = html`<p>Whatever goes wrong is told in one shape. <code>error</code> is for people, <code>code</code> for programs, <code>detail</code> names the fields of a 422. A page that could not be read is no error: its row says so in <code>verdict</code>.</p>
<table class="errors"><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table>`;
  const sample = {
    error: 'timeout: Too big: expected number to be <=120',
    code: 'validation',
    request_id: 'req_01k6v1q8xwe0gs2ptk4cz7n3ma',
    detail: [{ loc: ['body', 'timeout'], msg: 'Too big: expected number to be <=120', type: 'too_big' }],
  };
  return chapter('errors', about, codeBox(html`Answer <span class="status bad">422</span>`, renderJson(sample)));
}

const statusOf = (code: string): number => Object.entries(CODES).find(([name]) => name === code)?.[1].http ?? 500;
