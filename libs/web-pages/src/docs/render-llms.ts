import { asText } from '@tidemark/api';
import { codeSamples, SAMPLE_PREAMBLES } from './code-samples.ts';
import { operationHref, pageHref, tagPage } from './docs-links.ts';
import type { DocsPage } from './docs-pages.ts';
import { ERROR_MEANINGS } from './error-meanings.ts';
import type { Document, Operation, Parameter } from './openapi.ts';
import { firecrawlText } from './render-firecrawl.ts';
import { curlLines } from './request-example.ts';
import { fieldsOf, typeText } from './schema.ts';

/** The origin of the server: the documents for models are at its root. */
const originOf = (serverUrl: string): string => serverUrl.replace(/\/v1\/?$/, '');

const heading = ({ method, path }: Operation): string => `${method.toUpperCase()} /v1${path}`;

const byTag = ({ operations }: Document): Map<string, Operation[]> => Map.groupBy(operations, ({ tag }) => tag);

/** Renders the index of the documentation for language models: a link and a sentence per route (https://llmstxt.org). */
export function renderLlms(document: Document): string {
  const { title, description, serverUrl, tags } = document;
  const sections = [...byTag(document)].map(([tag, operations]) => {
    const part = `- [${tag} as text](${originOf(serverUrl)}${pageHref(tagPage(tag))}.md): the routes below with their parameters, fields, errors and examples`;
    const links = operations.map(
      (one) => `- [${heading(one)}](${originOf(serverUrl)}${operationHref(one)}): ${one.summary}`,
    );
    return [`## ${tag}`, '', ...(tags[tag] === undefined ? [] : [tags[tag], '']), part, ...links, ''].join('\n');
  });
  return [
    `# ${title}`,
    '',
    `> ${description}`,
    '',
    `Requests go to ${serverUrl} with the header \`Authorization: Bearer <API key>\`. Bodies are JSON. Check \`verdict\` of a page before its content.`,
    '',
    '## Documents',
    '',
    `- [Complete documentation as text](${originOf(serverUrl)}/llms-full.txt): every part below in one file`,
    `- [Reference](${originOf(serverUrl)}${pageHref('')}): the same as web pages`,
    `- [OpenAPI 3.1](${serverUrl}/openapi.json): for client generators`,
    '',
    ...sections,
  ].join('\n');
}

const parameterLine = ({ name, required, description, in: where }: Parameter): string =>
  `- \`${name}\` (${where}${required ? ', required' : ''})${description === '' ? '' : `: ${description}`}`;

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

function bodyLines({ body }: Operation, { schemas }: Document): string[] {
  const fields = body === undefined ? [] : fieldsOf(body.schema, schemas);
  if (fields.length === 0) return [];
  const lines = fields.map(({ name, schema, required }) => {
    const description = asText(schema['description']);
    const type = `${typeText(schema, schemas)}${required ? ', required' : ''}`;
    return `- \`${name}\` (${type})${description === '' ? '' : `: ${description}`}`;
  });
  return ['Body:', '', ...lines, ''];
}

function operationText(operation: Operation, document: Document): string {
  const { summary, description, parameters, responses, errors, scope } = operation;
  const response = responses.find(({ example }) => example !== undefined);
  const example =
    typeof response?.example === 'string' ? response.example.trimEnd() : JSON.stringify(response?.example, null, 2);
  const codes = errors.flatMap(({ status, codes: names }) => names.map((name) => `${name} (${status})`));
  return [
    `### ${heading(operation)}`,
    '',
    `${summary}. ${scope === 'public' ? 'No key is required.' : `Required scope: ${scope}.`}`,
    '',
    ...(description === '' ? [] : [description, '']),
    ...(parameters.length === 0 ? [] : ['Parameters:', '', ...parameters.map(parameterLine), '']),
    ...bodyLines(operation, document),
    fence('sh', curlLines(operation, document.serverUrl).join(' \\\n  ')),
    '',
    ...codeSamples(operation, document.serverUrl).flatMap(({ language, code }) => [fence(FENCES[language], code), '']),
    ...(response === undefined ? [] : [`Response ${response.status}:`, '', fence('', example), '']),
    `Errors: ${codes.join(', ')}.`,
    '',
  ].join('\n');
}

const FENCES = { TypeScript: 'ts', Python: 'python', 'Command line': 'sh' } as const;

const tagText = (tag: string, operations: readonly Operation[], document: Document): string =>
  [`## ${tag}`, '', document.tags[tag] ?? '', '', ...operations.map((one) => operationText(one, document))].join('\n');

/** What precedes the routes in the complete text and in each part of it. */
function introduction({ title, description, serverUrl }: Document): string[] {
  const preambles = Object.entries(SAMPLE_PREAMBLES).map(([language, code]) => `${language}:\n\n${fence('', code)}\n`);
  return [
    `# ${title}\n\n> ${description}\n`,
    `Base URL: ${serverUrl}. Authentication: \`Authorization: Bearer <API key>\`. Bodies are JSON in UTF-8, times are ISO 8601 in UTC.\n`,
    `Requests over the rate limit get 429 with Retry-After. A list returns \`next\` and \`cursor\`, which are null at its end. A request with an Idempotency-Key can be repeated for 24 hours. An error has \`error\` for people, \`code\` for programs and \`request_id\`.\n`,
    `The examples use these statements first:\n\n${preambles.join('\n')}`,
  ];
}

/** Renders the routes of one page as text for language models. */
export const renderLlmsPage = (document: Document, { title, operations }: DocsPage): string =>
  [...introduction(document), tagText(title, operations, document)].join('\n');

/** Renders the complete documentation as one text for language models. */
export function renderLlmsFull(document: Document): string {
  const errors = Object.entries(ERROR_MEANINGS).map(([code, meaning]) => `- \`${code}\`: ${meaning}`);
  return [
    ...introduction(document),
    `## Error codes\n\n${errors.join('\n')}\n`,
    firecrawlText(document),
    ...[...byTag(document)].map(([tag, operations]) => tagText(tag, operations, document)),
  ].join('\n');
}
