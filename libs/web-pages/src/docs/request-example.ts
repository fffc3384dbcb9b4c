import type { Operation } from './openapi.ts';

/** Returns the example value of a parameter. */
export function exampleOf(
  { parameters }: Pick<Operation, 'parameters'>,
  where: string,
  name: string,
): string | undefined {
  const example = parameters.find((one) => one.in === where && one.name === name)?.example;
  return example === undefined ? undefined : String(example);
}

/** Returns the path of a route with the example values of its parameters. */
export const filledPath = (operation: Operation): string =>
  operation.path.replace(/\{(\w+)\}/g, (whole, name: string) => exampleOf(operation, 'path', name) ?? whole);

/** Returns the required query parameters with their example values. */
export const requiredQuery = (operation: Operation): [name: string, value: string][] =>
  operation.parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name }) => [name, exampleOf(operation, 'query', name) ?? '']);

/** Quotes a word for the shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Quotes a word for the shell if necessary. */
export const commandWord = (text: string): string => (/^[\w./:@%+,=-]+$/.test(text) ? text : quoted(text));

/** Returns the words of a curl command, one line each, that calls a route with its example values. */
export function curlLines(operation: Operation, serverUrl: string): string[] {
  const { method, scope, body, responses } = operation;
  const query = requiredQuery(operation).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const url = `${serverUrl}${filledPath(operation)}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const flags = [
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    ...(responses.some(({ type }) => type?.startsWith('image/')) ? ['-o screenshot.jpg'] : []),
    ...(responses.some(({ type }) => type === 'text/event-stream') ? ['-N'] : []),
  ];
  const lines = [['curl', ...flags, urlWord(url)].join(' ')];
  if (scope !== 'public') lines.push('-H "Authorization: Bearer $TIDEMARK_API_KEY"');
  if (body !== undefined && !isEmpty(body.example)) {
    const short = JSON.stringify(body.example);
    const text = short.length <= ONE_LINE_MAX ? short : JSON.stringify(body.example, null, 2);
    lines.push("-H 'Content-Type: application/json'", `-d ${quoted(text)}`);
  }
  return lines;
}

const ONE_LINE_MAX = 56;

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** Quotes a URL for the shell if necessary: it contains the Host header of the client. */
const urlWord = (text: string): string => (/^[\w./:@%+,-]+$/.test(text) ? text : quoted(text));
