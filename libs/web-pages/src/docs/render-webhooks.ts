import { asObject } from '@tidemark/api';
import { type Html, html, type Part } from '@tidemark/html';
import {
  delayText,
  isRetriedStatus,
  RESPONSE_SECONDS,
  RETRIED_CLIENT_ERRORS,
  RETRY_DELAYS_MINUTES,
  WEBHOOK_HEADERS,
} from '@tidemark/webhook-events';
import { chapterHref, routeLink } from './docs-links.ts';
import type { Document, EventDescription } from './openapi.ts';
import { phrase } from './prose.ts';
import { chapter } from './render-chapter.ts';
import { codeBox, renderJson } from './render-code.ts';
import { renderFields } from './render-schema.ts';
import { fieldsOf } from './schema.ts';
import { WEBHOOK_SAMPLES } from './webhook-samples.ts';

/** Renders how messages are received and verified, and how they are repeated. */
export function renderReceiving(document: Document): Html {
  const about = html`<ol class="steps">
<li><p>Choose a receiver: a URL that accepts POST. A project sends to <code>config.webhook_url</code>, a crawl to <code>webhook.url</code>, a batch to <code>webhook_url</code>. A receiver at a private address, such as one on this machine, must be permitted by the operator, for example with <code>TIDEMARK_EGRESS_ALLOW=127.0.0.1:9000</code>.</p></li>
<li><p>Get the signing secret. For a project ${routeLink(document, 'getWebhook')} returns it to keys with the scope <code>admin</code>. For a crawl or a batch it is <code>webhookSecret</code> in the response that creates it, and only there.</p></li>
<li><p>Verify each message with the raw body, before it is parsed. ${routeLink(document, 'testWebhook')} sends a test message now.</p></li>
<li><p>Respond with 2xx within ${RESPONSE_SECONDS} seconds, and process the message afterwards. Ignore an id that was received before: a message can arrive more than once.</p></li>
</ol>
<h3>Headers of a message</h3>
<table><thead><tr><th>Header</th><th>Value</th></tr></thead><tbody>${Object.entries(WEBHOOK_HEADERS).map(
    ([name, { description }]) => html`<tr><td><code>${name}</code></td><td>${phrase(description)}</td></tr>`,
  )}</tbody></table>
<p>The three headers that start with <code>webhook-</code> are those of Standard Webhooks, so any library for it can verify the messages. After ${routeLink(document, 'rotateSecret')}, messages are signed with the previous secret too, for one day.</p>
<h3>Retries</h3>
${retryTable()}
<p>Every attempt, with the start of the response of the receiver, is listed by ${routeLink(document, 'listDeliveries')}. ${routeLink(document, 'redeliver')} sends a message again at once, paused and failed ones too.</p>`;
  return chapter(
    'webhooks',
    about,
    WEBHOOK_SAMPLES.map(({ language, code }) => codeBox(`Verify a message: ${language}`, code)),
  );
}

/** Renders what follows from each response of a receiver. */
function retryTable(): Html {
  const refused = [400, 401, 404, 410].filter((status) => !isRetriedStatus(status));
  const rows: readonly (readonly [Part, Part])[] = [
    [`2xx within ${RESPONSE_SECONDS} s`, 'delivered'],
    [
      `No response within ${RESPONSE_SECONDS} s, 5xx, ${RETRIED_CLIENT_ERRORS.join(', ')}`,
      `sent again ${RETRY_DELAYS_MINUTES.length} times, then paused`,
    ],
    [`Any other response, such as ${refused.join(', ')} or a redirect`, 'failed at once'],
  ];
  return html`<table><thead><tr><th>Response</th><th>What follows</th></tr></thead><tbody>${rows.map(
    ([response, outcome]) => html`<tr><td>${response}</td><td>${outcome}</td></tr>`,
  )}</tbody></table>
<table class="retries"><thead><tr><th>Retry</th>${RETRY_DELAYS_MINUTES.map((_, index) => html`<th>${index + 1}</th>`)}</tr></thead><tbody><tr><td>after</td>${RETRY_DELAYS_MINUTES.map((minutes) => html`<td>${delayText(minutes)}</td>`)}</tr></tbody></table>`;
}

/** Returns whose events these are: those of a project name it, the others name their job. */
function ownerOf({ example }: EventDescription): string {
  const { project, job } = asObject(example);
  return project === undefined ? `webhook of a ${String(asObject(job)['kind'] ?? 'job')}` : 'webhook of a project';
}

/** Returns the URL of an event. */
export const eventHref = (name: string): string => chapterHref('events', eventAnchor(name));

const eventAnchor = (name: string): string => `event-${name.replaceAll('.', '-')}`;

/** Renders every event with its payload. */
export function renderEvents(document: Document): Html {
  const groups = Map.groupBy(document.events, ownerOf);
  const about = html`<p>Every message is <code>{id, event, createdAt, ts, data}</code> with <code>project</code> and <code>run</code>, or <code>job</code>, and <code>metadata</code> as given with the webhook. Each event below shows a whole message.</p>
<table><thead><tr><th>Sent to</th><th>Events</th></tr></thead><tbody>${[...groups].map(
    ([owner, group]) =>
      html`<tr><td>${owner}</td><td>${group.map(({ name }) => html`<a href="#${eventAnchor(name)}"><code>${name}</code></a> `)}</td></tr>`,
  )}</tbody></table>`;
  return html`${chapter('events', about)}${document.events.map((event) => renderEvent(event, document))}`;
}

function renderEvent(event: EventDescription, { schemas }: Document): Html {
  const { name, description, schema, example } = event;
  const data = fieldsOf(schema, schemas).filter((field) => field.name === 'data');
  return html`<article class="route event" id="${eventAnchor(name)}"><div class="about">
<h3><a href="#${eventAnchor(name)}"><code>${name}</code></a></h3>
<p class="line"><span class="scope">${ownerOf(event)}</span></p>
<p>${phrase(description)}</p>
<details class="response-fields"><summary>Fields of <code>data</code></summary>${renderFields(data, schemas, { marked: 'optional' })}</details>
</div><div class="example">${codeBox('Body', renderJson(example))}</div></article>`;
}
