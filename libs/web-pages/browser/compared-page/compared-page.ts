// The script of the frame that shows a page with its changes in place. It has the page as data: stored html, or else markdown. The console reads its
// messages in services/console/src/parts/diff/compared-message.ts.
import { marked } from 'marked';
import { bodyOf, cleanPage } from '../stored-page/clean-page.ts';
import {
  adopt,
  attributeOf,
  find,
  findIn,
  removeAttributeOf,
  scrollTo,
  setAttributeOf,
  unmark,
} from '../stored-page/page-access.ts';
import { type ComparedBlock, markChanges } from './mark-changes.ts';

/** What the gateway embeds. */
interface Compared {
  readonly html: string | null;
  readonly markdown: string | null;
  readonly blocks: readonly ComparedBlock[];
  /** The page is shown as it was added or removed: every block differs, and none is marked. */
  readonly whole: 'added' | 'removed' | null;
  /** Why there is nothing to show. */
  readonly problem: string | null;
}

type Message =
  | {
      readonly kind: 'ready';
      readonly source: 'html' | 'markdown';
      readonly changes: number;
      readonly shown: number;
    }
  | { readonly kind: 'missing'; readonly reason: string };

const CURRENT = 'data-tidemark-current';
/** Markdown of more characters is shown as text: its parser takes too long on hostile input. */
const MAX_MARKDOWN_CHARS = 1_000_000;
const PICTURES = 'img, picture, canvas, input[type=image]';

/** The document has an opaque origin, so that no origin of the receiver can be named. */
const send = (message: Message): void => parent.postMessage({ from: 'tidemark-compared', ...message }, '*');

/** Shows every picture as a box with its alternative text and its size: nothing is loaded. The label is no text of the page. */
function boxPictures(page: Document): void {
  for (const node of findIn(page, PICTURES)) {
    const picture = node.localName === 'picture' ? (node.querySelector('img') ?? node) : node;
    const [width, height] = ['width', 'height'].map((name) => attributeOf(picture, name)?.trim() ?? '');
    const alt = attributeOf(picture, 'alt')?.trim() ?? '';
    const box = document.createElement('span');
    box.className = 'tidemark-picture';
    box.setAttribute('role', 'img');
    box.setAttribute('aria-label', alt === '' ? 'Image' : alt);
    box.dataset['label'] = [alt === '' ? 'Image' : alt, width && height ? `${width} × ${height}` : '']
      .filter((part) => part !== '')
      .join(' · ');
    Element.prototype.replaceWith.call(node, box);
  }
}

/** Renders stored markdown. Markup in it is cleaned as that of a page is. */
function renderMarkdown(markdown: string): Document {
  if (markdown.length > MAX_MARKDOWN_CHARS) {
    const page = cleanPage('');
    const text = document.createElement('pre');
    text.textContent = markdown;
    bodyOf(page).append(text);
    return page;
  }
  return cleanPage(marked.parse(markdown, { async: false, gfm: true }));
}

function show({ html, markdown, blocks, whole }: Compared): void {
  const page = html === null ? renderMarkdown(markdown ?? '') : cleanPage(html);
  boxPictures(page);
  for (const link of findIn(page, 'a, area')) removeAttributeOf(link, 'href');
  const body = bodyOf(page);
  const { changes, places } = whole === null ? markChanges(body, blocks) : { changes: 0, places: [] };
  for (const style of findIn(page, 'head style')) document.head.append(adopt(style));
  for (const name of ['lang', 'dir']) {
    const value = attributeOf(page.documentElement, name);
    if (value !== null) setAttributeOf(document.documentElement, name, value);
  }
  setAttributeOf(document.documentElement, 'data-tidemark-source', html === null ? 'markdown' : 'html');
  // Html keeps the light ground that its styles expect.
  if (html === null && new URLSearchParams(location.search).get('theme') === 'dark')
    setAttributeOf(document.documentElement, 'data-tidemark-theme', 'dark');
  if (whole !== null) setAttributeOf(document.documentElement, 'data-tidemark-whole', whole);
  document.body.replaceWith(adopt(body));
  const moveTo = (at: number): void => {
    const place = places[at];
    if (place === undefined) return;
    unmark(CURRENT);
    setAttributeOf(place, CURRENT, '');
    scrollTo(place, 'center');
  };
  moveTo(0);
  addEventListener('message', ({ source, data }) => {
    if (source === parent && typeof data === 'object' && data !== null && data.kind === 'show') moveTo(Number(data.at));
  });
  addEventListener('click', (event) => event.preventDefault(), { capture: true });
  send({ kind: 'ready', source: html === null ? 'markdown' : 'html', changes, shown: places.length });
}

const compared: Compared = JSON.parse(find('#compared')[0]?.textContent ?? 'null');
if (compared.problem !== null) send({ kind: 'missing', reason: compared.problem });
else show(compared);
