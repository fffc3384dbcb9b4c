import type { Language } from './playground-view.ts';

/** A capture as the API takes it. */
export interface Capture {
  readonly url: string;
  readonly config: Readonly<Record<string, unknown>>;
}

const json = (value: unknown, indent?: number): string => JSON.stringify(value, null, indent);
/** Quotes a text for a POSIX shell: nothing inside single quotes is interpreted. */
const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns a value as a Python literal. The escapes of JSON strings are valid in Python. */
function python(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value !== 'object') return json(value);
  return `{${Object.entries(value)
    .map(([key, part]) => `${json(key)}: ${python(part)}`)
    .join(', ')}}`;
}

const bodyOf = ({ url, config }: Capture) => ({ url, ...(Object.keys(config).length === 0 ? {} : { config }) });

const curl = (capture: Capture, baseUrl: string): string =>
  [
    `curl ${shell(`${baseUrl}/scrape`)} \\`,
    '  -H "Authorization: Bearer $TIDEMARK_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${shell(json(bodyOf(capture), 2))}`,
  ].join('\n');

function typescript({ url, config }: Capture, baseUrl: string): string {
  const options =
    Object.keys(config).length === 0 ? '' : `, {\n  config: ${json(config, 2).replaceAll('\n', '\n  ')},\n}`;
  return [
    "import { Tidemark } from '@tidemark/sdk';",
    '',
    `const client = new Tidemark({ baseUrl: ${json(baseUrl)}, apiKey: process.env.TIDEMARK_API_KEY });`,
    `const page = await client.scrape(${json(url)}${options});`,
    'console.log(page.verdict, page.markdown);',
  ].join('\n');
}

const pythonCode = (capture: Capture, baseUrl: string): string =>
  [
    'import os',
    'import requests',
    '',
    'response = requests.post(',
    `    ${json(`${baseUrl}/scrape`)},`,
    '    headers={"Authorization": f"Bearer {os.environ[\'TIDEMARK_API_KEY\']}"},',
    `    json=${python(bodyOf(capture))},`,
    '    timeout=150,',
    ')',
    'response.raise_for_status()',
    'page = response.json()["data"][0]',
    'print(page["verdict"], page["markdown"])',
  ].join('\n');

const cli = ({ url, config }: Capture, baseUrl: string): string =>
  [
    `TIDEMARK_BASE_URL=${shell(baseUrl)} tidemark scrape ${shell(url)}`,
    ...Object.entries(config).map(
      ([key, value]) => `  -c ${shell(`${key}=${typeof value === 'string' ? value : json(value)}`)}`,
    ),
  ].join(' \\\n');

/** Returns code that repeats a capture. No text of the capture can leave its quotes. */
export function codeOf(language: Language, capture: Capture, baseUrl: string): string {
  if (language === 'curl') return curl(capture, baseUrl);
  if (language === 'typescript') return typescript(capture, baseUrl);
  if (language === 'python') return pythonCode(capture, baseUrl);
  if (language === 'cli') return cli(capture, baseUrl);
  return json({ name: 'extract_url', arguments: bodyOf(capture) }, 2);
}
