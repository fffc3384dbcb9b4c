import { weigh } from './count-words.ts';
import { Hint, HintReader } from './hints.ts';
import { type Element, isBlock, Mark } from './tree.ts';

/** Never shown, whatever the style says; noscript is not shown by a browser that runs scripts. */
const UNSEEN_TAGS = new Set(
  'script style template noscript head title meta link base svg iframe object embed applet canvas audio video map datalist noembed noframes select option'.split(' '),
);
const HIDDEN_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;

/** Walks the tree once, bottom-up: visibility, hints, and the words, link words and stops below every element. */
export function measure(start: Element, hints = new HintReader()): void {
  if (isUnseen(start)) {
    start.marks |= Mark.unseen;
    return;
  }
  start.hints = hints.read(start.attributes);
  if ((start.hints & Hint.hidden) !== 0 && start.tag !== 'body') start.marks |= Mark.unseen;
  const link = start.tag === 'a';
  for (const child of start.children) {
    if (typeof child === 'string') {
      const weight = weigh(child);
      start.words += weight.words;
      start.stops += weight.stops;
      continue;
    }
    measure(child, hints);
    if ((child.marks & Mark.unseen) !== 0) continue;
    start.words += child.words;
    start.linkWords += child.linkWords;
    start.stops += child.stops;
    if ((child.marks & Mark.blocky) !== 0 || isBlock(child.tag)) start.marks |= Mark.blocky;
  }
  if (link) start.linkWords = start.words;
}

function isUnseen(element: Element): boolean {
  const { tag, attributes } = element;
  if (UNSEEN_TAGS.has(tag)) return !(tag === 'template' && attributes['shadowrootmode'] !== undefined);
  if (tag === 'body' || tag === 'html') return false;
  const hidden = attributes['hidden'];
  if (hidden !== undefined && hidden !== 'until-found') return true;
  const style = attributes['style'];
  if (style && HIDDEN_STYLE.test(style)) return true;
  return tag === 'dialog' && attributes['open'] === undefined;
}
