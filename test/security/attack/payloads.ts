import {
  ENCODED_TEXTS,
  FORMULA_TEXTS,
  LINE_END_TEXTS,
  NAUGHTY_TEXTS,
  PATTERN_TEXTS,
  PROTOTYPE_TEXTS,
  QUERY_TEXTS,
  REDIRECT_TEXTS,
  SQL_TEXTS,
  TRAVERSAL_TEXTS,
} from '@tidemark/testkit/cases/injected-texts';
import { MARKUP_ATTACKS } from '@tidemark/testkit/cases/markup-attacks';
import { ROBOTS_FILES } from '@tidemark/testkit/cases/robots-files';
import { casesOf } from '@tidemark/testkit/cases/rule-cases';
import { HOSTILE_XML } from '@tidemark/testkit/cases/sitemaps';
import { NORMALIZED_URLS, PARSED_URLS, RESOLVED_URLS } from '@tidemark/testkit/cases/urls';
import { HOSTILE_ADDRESSES } from '../../web/server.ts';
import { internalUrls, ssrfUrls } from '../internal.ts';
import { naughtyStrings } from '../naughty-strings.ts';

/** Kinds of input, by what a field is used for. */
export type Kind = 'url' | 'pattern' | 'selector' | 'header' | 'cursor' | 'id' | 'query' | 'text';

/** Values of one sort, and the kinds of fields that they are for. */
export interface PayloadTable {
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly payloads: readonly string[];
}

const ALL: readonly Kind[] = ['url', 'pattern', 'selector', 'header', 'cursor', 'id', 'query', 'text'];
const TEXTS: readonly Kind[] = ['text', 'query', 'selector', 'id', 'cursor'];

/** Hosts of the table of URLs, as hosts and as paths of a host of this machine. */
const hosts = (): string[] =>
  casesOf(PARSED_URLS).flatMap(([text], at) => {
    const host = /^https?:\/\/([^/?#\\]*)/.exec(text)?.[1];
    const address = HOSTILE_ADDRESSES[at % HOSTILE_ADDRESSES.length];
    return host === undefined ? [] : [`http://${host}/`, `http://${address}/${host}`];
  });

const urls = (): string[] => [
  ...casesOf(PARSED_URLS).map(([text]) => text),
  ...casesOf(RESOLVED_URLS).map(([text]) => text),
  ...casesOf(NORMALIZED_URLS).map(([text]) => text),
];

/** Patterns of robots.txt, which have the form of patterns of paths. */
const robotsPatterns = (): string[] =>
  casesOf(ROBOTS_FILES).flatMap(({ robots }) =>
    [...robots.slice(0, 5_000).matchAll(/allow:[ \t]*(\S+)/gi)].map(([, pattern = '']) => pattern),
  );

const regexes = (): string[] => casesOf(PATTERN_TEXTS).flatMap((source) => [source, `re:${source}`]);

/** Every table whose payloads are values of fields. Files that a site serves are in `hostile-files.ts`. */
export const payloadTables = (): readonly PayloadTable[] => [
  { name: 'URLs', kinds: ['url', 'id'], payloads: urls() },
  { name: 'hosts', kinds: ['url'], payloads: hosts() },
  { name: 'percent encodings', kinds: ALL, payloads: casesOf(ENCODED_TEXTS) },
  { name: 'addresses of internal services', kinds: ['url'], payloads: ssrfUrls() },
  { name: 'internal hosts', kinds: ['url'], payloads: internalUrls() },
  { name: 'open redirects', kinds: ['url'], payloads: casesOf(REDIRECT_TEXTS) },
  { name: 'patterns of paths', kinds: ['pattern'], payloads: robotsPatterns() },
  { name: 'directory traversal', kinds: ['id', 'url', 'query', 'text'], payloads: casesOf(TRAVERSAL_TEXTS) },
  { name: 'regular expressions', kinds: ['pattern', 'query'], payloads: regexes() },
  { name: 'line ends', kinds: ['header', 'id', 'url', 'text', 'cursor'], payloads: casesOf(LINE_END_TEXTS) },
  { name: 'formulas', kinds: ['text'], payloads: casesOf(FORMULA_TEXTS) },
  { name: 'prototype pollution', kinds: ALL, payloads: casesOf(PROTOTYPE_TEXTS) },
  { name: 'operators and expressions', kinds: TEXTS, payloads: casesOf(QUERY_TEXTS) },
  { name: 'SQL', kinds: TEXTS, payloads: casesOf(SQL_TEXTS) },
  { name: 'XML', kinds: ['text', 'query'], payloads: casesOf(HOSTILE_XML).map(([, xml]) => xml.slice(0, 4_000)) },
  { name: 'markup', kinds: TEXTS, payloads: casesOf(MARKUP_ATTACKS) },
  { name: 'naughty strings', kinds: ALL, payloads: [...casesOf(NAUGHTY_TEXTS), ...naughtyStrings] },
];
