import { HtmlScanner } from './html-scanner.ts';
import { Element, type Page } from './page-tree.ts';
import { TreeBuilder } from './tree-builder.ts';

/**
 * Parses a page once into the tree that all later steps share. Accepts any input, in time linear in its length. Keeps
 * only the attributes that later steps read, unless `keepsAllAttributes` is set for selectors.
 */
export function parsePage(html: string, keepsAllAttributes = false): Page {
  const root = new Element('html', {}, undefined);
  const head = new Element('head', {}, root);
  const body = new Element('body', {}, root);
  root.children.push(head, body);
  const indexed = {
    metas: [],
    links: [],
    titles: [],
    scripts: [],
    headings: [],
    times: [],
    anchors: [],
    superscripts: [],
    microdata: [],
    typed: [],
  };
  const parts = { indexed, keepsAllAttributes, hasNul: html.includes('\0'), elements: 0 };
  new HtmlScanner(normalized(html), new TreeBuilder(root, head, body, parts), keepsAllAttributes).scan();
  return { root, head, body, elements: parts.elements, hints: 0, indexed };
}

/** https://html.spec.whatwg.org/multipage/parsing.html#preprocessing-the-input-stream */
const normalized = (html: string): string => (html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html);
