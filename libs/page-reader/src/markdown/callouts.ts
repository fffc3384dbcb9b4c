import { Hint } from '../tree/name-hints.ts';
import { collapseSpaces, type Element, findFirst, isElement, visibleLine } from '../tree/page-tree.ts';
import { CALLOUT_TITLE_WORDS, CALLOUT_WORDS } from './thresholds.ts';

/** A note set apart from the text by documentation and note-taking tools. */
export interface Callout {
  /** One of GitHub's five kinds: https://docs.github.com/en/get-started/writing-on-github#alerts */
  kind: string;
  /** Its own heading if it is more than the kind's name. */
  title: string;
  /** Elements that only label it: the heading and the icon. */
  labels: ReadonlySet<Element>;
}

const words = (kind: string, names: string): [string, string][] => names.split(' ').map((name) => [name, kind]);
const KINDS = new Map<string, string>([
  ...words('NOTE', 'note info information abstract summary todo seealso quote example question faq primary secondary'),
  ...words('TIP', 'tip hint success check done'),
  ...words('IMPORTANT', 'important'),
  ...words('WARNING', 'warning warn attention'),
  ...words('CAUTION', 'caution danger error failure fail bug'),
]);

/** Class names of callouts: GitHub, Docusaurus, Sphinx, MkDocs, AsciiDoc, VitePress, Starlight, Obsidian, Bootstrap. */
const BOX =
  /(?:^|\s)(?:markdown-alert|theme-admonition|admonition|admonitionblock|custom-block|custom-container|starlight-aside|callout|alert)(?=\s|$)/;
const LABEL =
  /(?:^|[\s_-])(?:markdown-alert-title|admonition-?heading|admonition-title|custom-block-title|custom-container-title|starlight-aside__title|callout-title|alert-heading)/i;
const ICON = /(?:^|\s)(?:icon|callout-icon|admonition-icon)(?=\s|$)/;

export function calloutOf(element: Element): Callout | undefined {
  const kind = kindOf(element);
  if (kind === undefined || element.words > CALLOUT_WORDS) return undefined;
  const labels = new Set<Element>();
  const heading = findFirst(element, (inner) => isLabel(inner)) ?? plainHeading(element);
  if (heading) labels.add(heading);
  const icon = findFirst(element, (inner) => inner.tag === 'td' && ICON.test(inner.attributes['class'] ?? ''));
  if (icon) labels.add(icon);
  const labelled = [...labels].reduce((sum, label) => sum + label.words, 0);
  if (element.words <= labelled) return undefined;
  const title = heading ? collapseSpaces(visibleLine(heading, 200)) : '';
  const normalized = title.toLowerCase().replace(/[^\p{L}]+/gu, '');
  return { kind, title: normalized === '' || KINDS.get(normalized) === kind ? '' : title, labels };
}

/** Returns the kind that an element declares, by its attribute or its class. */
function kindOf({ attributes, hints }: Element): string | undefined {
  const named = attributes['data-callout'];
  if (named !== undefined) return KINDS.get(named.toLowerCase()) ?? 'NOTE';
  if ((hints & Hint.mayCallout) === 0) return undefined;
  const className = attributes['class'] ?? '';
  return BOX.test(className) ? kindIn(className) : undefined;
}

const isLabel = (element: Element): boolean => LABEL.test(element.attributes['class'] ?? '');

/**
 * Returns the kind from a class token, alone or with the tool's prefix, as in `alert--info` and `markdown-alert-note`.
 */
function kindIn(className: string): string | undefined {
  for (const token of className.toLowerCase().split(/\s+/)) {
    const bare = token.replace(
      /^(?:markdown-alert|theme-admonition|admonition|alert|starlight-aside|custom-block|callout)-{1,2}/,
      '',
    );
    const kind = KINDS.get(bare);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/** Returns the first child if its text is only the name of a kind. */
function plainHeading(element: Element): Element | undefined {
  const first = element.children.find(isElement);
  if (!first || first.words === 0 || first.words > CALLOUT_TITLE_WORDS) return undefined;
  return KINDS.has(
    visibleLine(first, 30)
      .toLowerCase()
      .replace(/[^\p{L}]+/gu, ''),
  )
    ? first
    : undefined;
}
