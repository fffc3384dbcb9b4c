import { asList, asObject, asText } from '@tidemark/api';
import type { Operation } from './openapi.ts';
import { commandWord, exampleOf, filledPath, requiredQuery } from './request-example.ts';

/** A program that calls a route with its example values. A test compiles the samples of every route. */
export interface CodeSample {
  readonly language: 'TypeScript' | 'Python' | 'Command line';
  readonly code: string;
}

/** Statements before the first sample of a language. */
export const SAMPLE_PREAMBLES: Readonly<Record<CodeSample['language'], string>> = {
  TypeScript:
    "import { Tidemark } from '@tidemark/sdk';\n\nconst client = new Tidemark(); // reads TIDEMARK_API_KEY and TIDEMARK_BASE_URL",
  Python: 'import os\n\nimport requests\n\nHEADERS = {"Authorization": "Bearer " + os.environ["TIDEMARK_API_KEY"]}',
  'Command line': 'tidemark login',
};

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
const isRaw = ({ responses }: Operation): boolean =>
  responses.every(({ type }) => type !== undefined && type !== 'application/json');
const indented = (text: string, spaces: number): string => text.replaceAll('\n', `\n${' '.repeat(spaces)}`);

/** Writes a value as an object literal: keys that are names have no quotes. */
const objectLiteral = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');

function typescriptSample(operation: Operation): string {
  const { method, path, parameters, body } = operation;
  const values = (where: string): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      parameters.filter((one) => one.in === where && one.required).map(({ name, example }) => [name, example]),
    );
  const init = {
    ...(isEmpty(values('path')) ? {} : { path: values('path') }),
    ...(isEmpty(values('query')) ? {} : { query: values('query') }),
    ...(isEmpty(body?.example) ? {} : { body: body?.example }),
  };
  const route = `'${method.toUpperCase()} ${path}'`;
  const args = isEmpty(init) ? route : `${route}, ${objectLiteral(init)}`;
  const result = isRaw(operation) ? 'response' : 'result';
  return `const ${result} = await client.call(${args});`;
}

/** Writes JSON as a Python literal. */
const pythonLiteral = (value: unknown): string =>
  JSON.stringify(value, null, 4)
    .split(/("(?:[^"\\]|\\.)*")/)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part.replace(
            /\b(true|false|null)\b/g,
            (word) => ({ true: 'True', false: 'False', null: 'None' })[word] ?? word,
          ),
    )
    .join('');

function pythonSample(operation: Operation, serverUrl: string): string {
  const { method, scope, body } = operation;
  const query = requiredQuery(operation);
  const lines = [
    `"${serverUrl}${filledPath(operation)}"`,
    ...(scope === 'public' ? [] : ['headers=HEADERS']),
    ...(query.length === 0 ? [] : [`params=${indented(pythonLiteral(Object.fromEntries(query)), 4)}`]),
    ...(isEmpty(body?.example) ? [] : [`json=${indented(pythonLiteral(body?.example), 4)}`]),
    ...(isRaw(operation) ? ['stream=True'] : []),
    'timeout=150',
  ];
  const call = `response = requests.${method}(\n${lines.map((line) => `    ${line},\n`).join('')})`;
  const hasContent = operation.responses.some(({ type }) => type === 'application/json');
  return `${call}\nresponse.raise_for_status()${hasContent ? '\nprint(response.json())' : ''}`;
}

/** Commands that do more than one request, by operation. */
const COMMANDS: Readonly<Record<string, (operation: Operation) => readonly string[]>> = {
  startScrape: ({ body }) => [
    'scrape',
    asText(asObject(body?.example)['url']),
    '-f',
    asText(asObject(body?.example)['formats']),
  ],
  startCrawl: ({ body }) => [
    'crawl',
    asText(asObject(body?.example)['url']),
    '--limit',
    String(asObject(body?.example)['limit']),
  ],
  startMap: ({ body }) => [
    'map',
    asText(asObject(body?.example)['url']),
    '--search',
    asText(asObject(body?.example)['search']),
  ],
  listProjects: () => ['projects'],
  getProject: (operation) => ['project', 'get', exampleOf(operation, 'path', 'id') ?? ''],
  startRun: (operation) => ['run', exampleOf(operation, 'path', 'id') ?? '', '--wait'],
  listRuns: (operation) => ['runs', exampleOf(operation, 'path', 'id') ?? ''],
  getChanges: (operation) => ['changes', exampleOf(operation, 'path', 'id') ?? '', '--patch'],
  listKeys: () => ['keys'],
  getMe: () => ['whoami'],
  getUsage: () => ['usage'],
};

/** A field as KEY=VALUE: text that reads as JSON is written as JSON text. */
function fieldWord(key: string, value: unknown): string {
  if (typeof value !== 'string') return `${key}=${JSON.stringify(value)}`;
  try {
    JSON.parse(value);
    return `${key}=${JSON.stringify(value)}`;
  } catch {
    return `${key}=${value}`;
  }
}

function commandSample(operation: Operation): string {
  const { id, method, body } = operation;
  const command = COMMANDS[id]?.(operation);
  if (command !== undefined) return ['tidemark', ...command].map(commandWord).join(' ');
  const fields = Object.entries(asObject(body?.example)).map(([key, value]) => fieldWord(key, value));
  const query = requiredQuery(operation).map(([key, value]) => `${key}=${value}`);
  // The fields of a request with a body are its body, so that its query is part of the path.
  const isRead = method === 'get' || method === 'delete';
  const path = `${filledPath(operation)}${isRead || query.length === 0 ? '' : `?${query.join('&')}`}`;
  return ['tidemark', 'api', method.toUpperCase(), path, ...(isRead ? query : fields)].map(commandWord).join(' ');
}

/** Keys do not open routes of people, so that clients with a key can not call them. */
const isOfPeople = ({ errors, scope }: Operation): boolean =>
  scope !== 'public' && errors.some(({ description }) => description.includes('the route concerns a person'));

/** Returns the samples of a route; none for a route that refuses keys. */
export function codeSamples(operation: Operation, serverUrl: string): readonly CodeSample[] {
  if (isOfPeople(operation) || asList(operation.responses).length === 0) return [];
  return [
    { language: 'TypeScript', code: typescriptSample(operation) },
    { language: 'Python', code: pythonSample(operation, serverUrl) },
    { language: 'Command line', code: commandSample(operation) },
  ];
}
