import type { JsonObject } from '../head/json-ld.ts';
import { NODE_VALUE_CHARS, NODES_VALUES_CAP } from './thresholds.ts';

/** A thing of structured data in the form of JSON-LD. Microdata and RDFa are converted to this form. */
export type DataNode = JsonObject;

export const isNode = (value: unknown): value is DataNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the types of a node in lower case, without vocabulary prefixes. */
export function nodeTypes(node: DataNode): string[] {
  const value = node['@type'];
  const list: unknown[] = Array.isArray(value) ? value.slice(0, 20) : [value];
  return list.filter((type) => typeof type === 'string').map(localName);
}

/** Returns the last part of a URL or prefixed name, in lower case: `http://schema.org/InStock`, `schema:InStock`. */
export const localName = (name: string): string =>
  name
    .slice(0, 300)
    .trim()
    .replace(/^.*[/#:]/s, '')
    .toLowerCase();

/** Returns the values under a key, in any case of its letters, as a list. */
export function valuesOf(node: DataNode, key: string): unknown[] {
  const value = node[key] ?? node[`schema:${key}`] ?? node[`http://schema.org/${key}`];
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.slice(0, NODES_VALUES_CAP) : [value];
}

export const nodesOf = (node: DataNode, key: string): DataNode[] => valuesOf(node, key).filter(isNode);

/** Returns the first non-empty text under a key: a value, or the name or value of a node. */
export function textAt(node: DataNode, key: string): string | undefined {
  for (const value of valuesOf(node, key)) {
    const text = textOf(value);
    if (text !== undefined) return text;
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  const inner = isNode(value) ? (value['@value'] ?? value['name'] ?? value['value'] ?? value['@id']) : value;
  if (typeof inner === 'number' && Number.isFinite(inner)) return String(inner);
  if (Array.isArray(inner)) return inner.find((entry): entry is string => typeof entry === 'string');
  if (typeof inner !== 'string' || inner.length > NODE_VALUE_CHARS) return undefined;
  const text = inner.trim();
  return text === '' ? undefined : text;
}
