import { HtmlScanner } from './html-scanner.ts';
import { nothingIndexed } from './page-parts.ts';
import { Element, type Page } from './page-tree.ts';
import { MAX_ELEMENTS } from './thresholds.ts';
import { TreeBuilder } from './tree-builder.ts';

/** What a parsed page keeps. */
export interface ParseOptions {
  /** True: every attribute, for selectors; false: those that the steps of reading use. Default false. */
  readonly keepsAllAttributes?: boolean;
  /** True: comments too. Default false. */
  readonly keepsComments?: boolean;
  /** Beyond this many elements, tags are ignored and only text is kept. Default 1,000,000. */
  readonly maxElements?: number;
}

/** Parses a page once into the tree that all later steps share. Accepts any input, in time linear in its length. */
export function parsePage(html: string, options: ParseOptions = {}): Page {
  const { keepsAllAttributes = false, keepsComments = false, maxElements = MAX_ELEMENTS } = options;
  const root = new Element('html', {}, undefined);
  const head = new Element('head', {}, root);
  const body = new Element('body', {}, root);
  root.children.push(head, body);
  const indexed = nothingIndexed();
  const comments = keepsComments ? new Map<Element, string[]>() : undefined;
  const parts = { indexed, comments, keepsAllAttributes, maxElements, hasNul: html.includes('\0'), elements: 0 };
  new HtmlScanner(normalized(html), new TreeBuilder(root, head, body, parts), keepsAllAttributes).scan();
  return { root, head, body, elements: parts.elements, hints: 0, indexed, comments };
}

/** https://html.spec.whatwg.org/multipage/parsing.html#preprocessing-the-input-stream */
const normalized = (html: string): string => (html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html);
