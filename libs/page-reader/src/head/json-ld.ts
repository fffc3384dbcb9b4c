import { type Element, rawText } from '../tree/page-tree.ts';
import { BLOCK_CAP, BLOCK_CHARS_CAP, GRAPH_LEVELS, NODE_CAP, VALUE_LEVELS } from './thresholds.ts';

export type JsonObject = { [key: string]: unknown };

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the page's JSON-LD objects, graphs flattened:
 * https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents
 */
export function readJsonLd(scripts: readonly Element[]): JsonObject[] {
  const nodes: JsonObject[] = [];
  for (const script of scripts.filter(isJsonLd).slice(0, BLOCK_CAP))
    addNodes(nodes, parseLoosely(rawText(script, BLOCK_CHARS_CAP + 1)), 0);
  return nodes;
}

const isJsonLd = (element: Element): boolean =>
  (element.attributes['type'] ?? '').toLowerCase().startsWith('application/ld+json');

function parseLoosely(text: string): unknown {
  if (text.length > BLOCK_CHARS_CAP) return undefined;
  const bare = text.trim().replace(/^(?:<!--|\/\*<!\[CDATA\[\*\/|<!\[CDATA\[)|(?:-->|\/\*\]\]>\*\/|\]\]>);?$/g, '');
  for (const candidate of [bare, bare.replace(/\p{Cc}+/gu, ' ').replace(/;\s*$/, '')]) {
    try {
      const parsed: unknown = JSON.parse(candidate);
      return parsed;
    } catch {}
  }
  return undefined;
}

function addNodes(nodes: JsonObject[], value: unknown, depth: number): void {
  if (depth > GRAPH_LEVELS || nodes.length >= NODE_CAP) return;
  if (Array.isArray(value)) {
    for (const entry of value) addNodes(nodes, entry, depth + 1);
    return;
  }
  if (!isObject(value)) return;
  const graph = value['@graph'];
  if (graph === undefined || value['@type'] !== undefined) nodes.push(value);
  if (graph !== undefined) addNodes(nodes, graph, depth + 1);
}

/** Returns the types of a node without the schema.org prefix. */
export function typesOf(node: JsonObject): string[] {
  const types = node['@type'];
  const list: unknown[] = Array.isArray(types) ? types : [types];
  return list.filter((type) => typeof type === 'string').map((type) => type.replace(/^https?:\/\/schema\.org\//, ''));
}

/**
 * Returns the first non-empty string under a key: the value itself, its name, its id, or the entries of a list joined
 * by commas.
 */
export function textOf(node: JsonObject | undefined, key: string): string | undefined {
  return node ? textIn(node[key], 0) : undefined;
}

function textIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  if (depth > VALUE_LEVELS) return undefined;
  if (Array.isArray(value)) {
    const names = value.map((entry) => textIn(entry, depth + 1)).filter((name) => name !== undefined);
    return names.length === 0 ? undefined : [...new Set(names)].join(', ');
  }
  return isObject(value) ? textIn(value['name'] ?? value['@value'] ?? value['url'], depth + 1) : undefined;
}

const ARTICLES = /Article|Posting|Report|WebPage$|Review|HowTo|Recipe|Product|VideoObject|Event|Course|Book|Movie/;

/** Returns the node that describes this page. Articles are preferred to plain web pages. */
export function mainNode(nodes: readonly JsonObject[]): JsonObject | undefined {
  const described = nodes.filter((node) => typesOf(node).some((type) => ARTICLES.test(type)));
  return described.find((node) => !typesOf(node).includes('WebPage')) ?? described[0];
}
