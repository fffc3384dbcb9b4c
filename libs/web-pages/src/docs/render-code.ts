import { type Html, html, type Part } from '@tidemark/html';
import type { Operation } from './openapi.ts';
import { curlLines } from './request-example.ts';

/** Renders a value as JSON with syntax colours. */
export function renderJson(value: unknown): Html {
  const text = JSON.stringify(value, null, 2) ?? '';
  const tokens = text.split(/("(?:[^"\\]|\\.)*"(?:\s*:)?|\btrue\b|\bfalse\b|\bnull\b|-?\b\d[\d.eE+-]*\b)/);
  return html`${tokens.map((token, index) => (index % 2 === 0 ? token : coloured(token)))}`;
}

function coloured(token: string): Html {
  if (token.endsWith(':')) return html`<b>${token.slice(0, -1)}</b>:`;
  return token.startsWith('"') ? html`<i>${token}</i>` : html`<u>${token}</u>`;
}

/** Renders a code box with a caption. One click selects the code, because the page has no script to copy it. */
export const codeBox = (caption: Part, code: Part, kind: 'command' | 'response' = 'response'): Html =>
  html`<figure class="code ${kind}"><figcaption>${caption}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`;

/** Renders a curl command that calls a route with the example values of its parameters and can be pasted. */
export const renderCurl = (operation: Operation, serverUrl: string): Html =>
  renderCommand(curlLines(operation, serverUrl));

/** Renders a command over several lines with a highlighted first word. */
export function renderCommand(lines: readonly string[]): Html {
  const [, program = '', rest = ''] = /^(\S*)(.*)$/s.exec(lines.join(' \\\n  ')) ?? [];
  return html`<b>${program}</b>${rest}`;
}
