import { type Html, html } from '@tidemark/html';
import type { Document } from './openapi.ts';
import { phrase } from './prose.ts';
import { chapter } from './render-chapter.ts';
import { codeBox, renderCommand } from './render-code.ts';

/** Facts that no table has. */
const NOTES = [
  'Set the API URL of a Firecrawl client to the address below and its key to a key of this service. The paths `/firecrawl/v2` and `/firecrawl/v1` accept the requests of both versions; rate limits, scopes and credits are those of the key.',
  'A field, format or action without an equivalent is refused by its name with the status 400, and a part of the interface that this service lacks with 501. Nothing is dropped.',
  'A document has `verdict` and `errorCode` in its `metadata`, which state whether the page was read. A scrape beyond its timeout gets 408; the same request within ten minutes is answered by the same job.',
];

const urlOf = (serverUrl: string): string => serverUrl.replace(/\/v1\/?$/, '/firecrawl');

/** Renders how clients of Firecrawl use this service, with a table per request. */
export function renderFirecrawl({ serverUrl, firecrawl }: Document): Html {
  const tables = firecrawl.map(
    ({ title, rows }) =>
      html`<h3>${title}</h3><table><thead><tr><th>Firecrawl</th><th>Here</th></tr></thead><tbody>${rows.map(
        ([name, becomes]) => html`<tr><td><code>${name}</code></td><td>${phrase(becomes)}</td></tr>`,
      )}</tbody></table>`,
  );
  const about = html`${NOTES.map((note) => html`<p>${phrase(note)}</p>`)}${tables}`;
  const commands = [`export FIRECRAWL_API_URL=${urlOf(serverUrl)}`, 'export FIRECRAWL_API_KEY=service_…'];
  return chapter('firecrawl', about, codeBox('Environment of a Firecrawl client', renderCommand(commands), 'command'));
}

/** Returns the same as text for language models. */
export function firecrawlText({ serverUrl, firecrawl }: Document): string {
  const tables = firecrawl.map(({ title, rows }) => [
    `### ${title}`,
    '',
    ...rows.map(([name, becomes]) => `- \`${name}\`: ${becomes}`),
    '',
  ]);
  const heading = ['## Clients of Firecrawl', '', `API URL: ${urlOf(serverUrl)}`, ''];
  return [...heading, ...NOTES.flatMap((note) => [note, '']), ...tables.flat()].join('\n');
}
