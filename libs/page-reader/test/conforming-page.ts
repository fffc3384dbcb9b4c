import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';
import { KEPT_ATTRIBUTES } from '../src/tree/kept-attributes.ts';
import { nothingIndexed } from '../src/tree/page-parts.ts';
import { Element, type Page } from '../src/tree/page-tree.ts';

type ParentNode = DefaultTreeAdapterTypes.ParentNode;

/** Parses a page with parse5, which follows the standard, into the tree of `parsePage`. The lists of `indexed` are empty. */
export function parseByStandard(html: string): Page {
  const document = parse(html);
  const root = new Element('html', {}, undefined);
  for (const child of document.childNodes)
    if (defaultTreeAdapter.isElementNode(child) && child.tagName === 'html') copyInto(root, child);
  const part = (tag: string): Element =>
    root.children.find((child): child is Element => typeof child !== 'string' && child.tag === tag) ??
    new Element(tag, {}, root);
  return {
    root,
    head: part('head'),
    body: part('body'),
    elements: 0,
    hints: 0,
    indexed: nothingIndexed(),
    comments: undefined,
  };
}

function copyInto(into: Element, parent: ParentNode): void {
  for (const child of parent.childNodes) {
    if (defaultTreeAdapter.isTextNode(child)) addText(into, child.value);
    else if (defaultTreeAdapter.isElementNode(child)) {
      const kept = child.attrs.filter(({ name }) => KEPT_ATTRIBUTES.has(name));
      const element = new Element(
        child.tagName,
        Object.fromEntries(kept.map(({ name, value }) => [name, value])),
        into,
      );
      into.children.push(element);
      copyInto(element, 'content' in child ? (child as DefaultTreeAdapterTypes.Template).content : child);
    }
  }
}

/** Joins texts that a comment separates, as the scanner does. */
function addText(into: Element, text: string): void {
  const last = into.children.length - 1;
  const before = into.children[last];
  if (typeof before === 'string') into.children[last] = before + text;
  else into.children.push(text);
}
