import type { SiteTitle } from './site-title.ts';

/** A page in llms.txt. */
export interface LlmsPage {
  readonly url: string;
  readonly title: string | null;
  readonly description: string | null;
}

/** Returns the head of llms.txt (https://llmstxt.org): the name of the site and its description. */
export function llmsHead({ name, description }: SiteTitle): string {
  return `# ${oneLine(name)}\n${description === null ? '' : `\n> ${oneLine(description)}\n`}`;
}

/** Returns the sections of llms.txt: one per first segment of the path, in the order of their first page. */
export function llmsSections(pages: readonly LlmsPage[]): string {
  const sections = Map.groupBy(pages, ({ url }) => sectionOf(url));
  return [...sections].map(([name, members]) => `\n## ${name}\n\n${members.map(lineOf).join('')}`).join('');
}

/** Returns the part of llms-full.txt for a page. */
export function llmsFullPart({ url, title }: LlmsPage, markdown: string): string {
  return `\n# ${oneLine(title ?? url)}\n\nSource: ${url}\n\n${markdown.trim()}\n`;
}

function lineOf({ url, title, description }: LlmsPage): string {
  const rest = description === null || description.trim() === '' ? '' : `: ${oneLine(description)}`;
  return `- [${oneLine(title ?? url)}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})${rest}\n`;
}

function sectionOf(url: string): string {
  const segment = URL.parse(url)
    ?.pathname.split('/')
    .find((part) => part !== '');
  if (segment === undefined) return 'Home';
  return oneLine(decode(segment).replaceAll(/[-_]+/g, ' '));
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Escapes what would end a link text, and joins lines. */
function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\[\]()]/g, (character) => `\\${character}`);
}
