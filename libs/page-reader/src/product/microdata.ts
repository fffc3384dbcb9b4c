import { collapseSpaces, type Element, findFirst, type Page, rawText } from '../tree/page-tree.ts';
import type { DataNode } from './nodes.ts';
import { MICRODATA_VALUE_CHARS, PROPERTIES_CAP, REFERENCES_CAP } from './thresholds.ts';

/**
 * Returns the items of a page as nodes, nested ones under their properties:
 * https://html.spec.whatwg.org/multipage/microdata.html#microdata-json
 */
export function microdataNodes(page: Page): DataNode[] {
  const { microdata } = page.indexed;
  if (microdata.length === 0) return [];
  const items = new Items();
  const properties = microdata.slice(0, PROPERTIES_CAP);
  for (const element of properties) items.add(element, ownerOf(element));
  for (const { item, ids } of items.references().slice(0, REFERENCES_CAP)) {
    const roots = ids.flatMap((id) => findFirst(page.root, (element) => element.attributes['id'] === id) ?? []);
    for (const root of roots)
      for (const element of properties) if (isOwnedWithin(element, root)) items.add(element, item);
  }
  return items.roots();
}

/** The nodes of the items that were met. */
class Items {
  readonly #nodes = new Map<Element, DataNode>();

  node(item: Element): DataNode {
    const known = this.#nodes.get(item);
    if (known !== undefined) return known;
    const { itemtype } = item.attributes;
    const types = itemtype?.slice(0, MICRODATA_VALUE_CHARS).trim().split(/\s+/) ?? [];
    const node: DataNode = { '@type': types };
    this.#nodes.set(item, node);
    return node;
  }

  add(element: Element, owner: Element | undefined): void {
    if (owner === undefined) return;
    const value = element.attributes['itemscope'] === undefined ? propertyValue(element) : this.node(element);
    if (value === '') return;
    const node = this.node(owner);
    for (const name of namesOf(element)) {
      const values = node[name];
      if (Array.isArray(values)) values.push(value);
      else node[name] = [value];
    }
  }

  /** Items that refer to properties elsewhere. */
  references(): { item: Element; ids: string[] }[] {
    return [...this.#nodes.keys()].flatMap((item) => {
      const ids = item.attributes['itemref']?.slice(0, MICRODATA_VALUE_CHARS).trim().split(/\s+/) ?? [];
      return ids.length === 0 ? [] : [{ item, ids: ids.slice(0, REFERENCES_CAP) }];
    });
  }

  /** Items that are no property of another. */
  roots(): DataNode[] {
    return [...this.#nodes]
      .filter(([item]) => item.attributes['itemprop'] === undefined || ownerOf(item) === undefined)
      .map(([, node]) => node);
  }
}

function ownerOf(element: Element): Element | undefined {
  for (let up = element.parent; up; up = up.parent) if (up.attributes['itemscope'] !== undefined) return up;
  return undefined;
}

/** True for a property in the element with the id of a reference, outside any item there. */
function isOwnedWithin(element: Element, root: Element): boolean {
  if (element === root) return true;
  for (let up = element.parent; up; up = up.parent) {
    if (up.attributes['itemscope'] !== undefined && up !== root) return false;
    if (up === root) return up.attributes['itemscope'] === undefined;
  }
  return false;
}

/** Names without the URL of their vocabulary. */
const namesOf = (element: Element): string[] =>
  (element.attributes['itemprop'] ?? '')
    .slice(0, 300)
    .trim()
    .split(/\s+/)
    .map((name) => name.replace(/^.*[/#:]/, ''))
    .filter((name) => name !== '' && name !== '__proto__' && !name.startsWith('@'));

const SOURCE_TAGS = new Set(['audio', 'embed', 'iframe', 'img', 'source', 'track', 'video']);
const LINK_TAGS = new Set(['a', 'area', 'link']);

/**
 * Returns the value of a property: https://html.spec.whatwg.org/multipage/microdata.html#values
 * `content` counts on every element, as search engines read it.
 */
export function propertyValue(element: Element): string {
  const { tag, attributes } = element;
  const { content } = attributes;
  if (content !== undefined) return content.slice(0, MICRODATA_VALUE_CHARS).trim();
  if (tag === 'meta') return '';
  if (SOURCE_TAGS.has(tag)) return attributes['src'] ?? '';
  if (LINK_TAGS.has(tag)) return linkValue(element);
  if (tag === 'data' || tag === 'meter' || tag === 'input') return attributes['value'] ?? '';
  if (tag === 'time' && attributes['datetime'] !== undefined) return attributes['datetime'];
  return collapseSpaces(rawText(element, MICRODATA_VALUE_CHARS));
}

/** Properties whose value is a URL. A link under another name, such as a brand, states its text. */
const URL_PROPERTIES =
  /(?:^|\s)(?:url|image|sameAs|availability|itemCondition|logo|contentUrl|thumbnailUrl|mainEntityOfPage)(?:\s|$)/;

function linkValue(element: Element): string {
  const { itemprop = '', href = '' } = element.attributes;
  if (element.tag === 'link' || URL_PROPERTIES.test(itemprop)) return href;
  return collapseSpaces(rawText(element, MICRODATA_VALUE_CHARS)) || href;
}
