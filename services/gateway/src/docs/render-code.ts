import { type Html, html, type Part } from './html.ts';
import type { Operation } from './openapi.ts';

const ONE_LINE_MAX = 56;

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
export const codeBox = (caption: Part, code: Part, kind: 'command' | 'answer' = 'answer'): Html =>
  html`<figure class="code ${kind}"><figcaption>${caption}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`;

/** Renders a curl command that calls a route with the example values of its parameters and can be pasted. */
export function renderCurl(operation: Operation, serverUrl: string): Html {
  const { method, path, scope, body, parameters, responses } = operation;
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => exampleOf(operation, 'path', name) ?? whole);
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name }) => `${name}=${encodeURIComponent(exampleOf(operation, 'query', name) ?? '')}`);
  const url = `${serverUrl}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const isImage = responses.some(({ type }) => type?.startsWith('image/'));
  const flags = [
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    ...(isImage ? ['-o screenshot.jpg'] : []),
    ...(responses.some(({ type }) => type === 'text/event-stream') ? ['-N'] : []),
  ];
  const lines = [['curl', ...flags, shellWord(url)].join(' ')];
  if (scope !== 'public') lines.push('-H "Authorization: Bearer $TIDEMARK_KEY"');
  if (body !== undefined && !isEmpty(body.example)) {
    const short = JSON.stringify(body.example);
    const text = short.length <= ONE_LINE_MAX ? short : JSON.stringify(body.example, null, 2);
    lines.push("-H 'Content-Type: application/json'", `-d ${quoted(text)}`);
  }
  return renderCommand(lines);
}

/** Returns the example value of a parameter. */
function exampleOf({ parameters }: Operation, where: string, name: string): string | undefined {
  const example = parameters.find((one) => one.in === where && one.name === name)?.example;
  return example === undefined ? undefined : String(example);
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** Renders a command over several lines with a highlighted first word. */
export function renderCommand(lines: readonly string[]): Html {
  const [, program = '', rest = ''] = /^(\S*)(.*)$/s.exec(lines.join(' \\\n  ')) ?? [];
  return html`<b>${program}</b>${rest}`;
}

/** Quotes a word for the shell if necessary: the URL contains the Host header of the client. */
const shellWord = (text: string): string => (/^[\w./:@%+,-]+$/.test(text) ? text : quoted(text));

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
