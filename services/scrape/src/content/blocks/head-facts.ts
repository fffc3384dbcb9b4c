import type { HeadField } from '@tidemark/contracts/page/v1/blocks';
import type { HeadData } from '../head.ts';
import { typesOf } from '../json-ld.ts';
import { collapse, type Element, lineOf, Mark, type Page, rawText } from '../tree.ts';
import { comparedAddress, pictureAddress } from './compared-address.ts';

const FACTS_CAP = 500;
const CHARS_CAP = 2_000;
const HEADINGS_CAP = 20;

/** What the head says, as it is compared: one fact a value, sets in a fixed order. */
export function headFacts(page: Page, head: HeadData): HeadField[] {
  const image = head.og['image'];
  const facts = [
    fact('title', documentTitle(page) ?? head.title),
    fact('description', head.description),
    fact('canonical', head.canonical && (comparedAddress(head.canonical) ?? head.canonical)),
    fact('robots', head.robots && inOrder(head.robots.toLowerCase().split(/\s*,\s*/)).join(', ')),
    ...inOrder(head.hreflang.map(({ lang, url }) => `${lang.toLowerCase()} ${comparedAddress(url) ?? url}`)).map(
      (value) => fact('hreflang', value),
    ),
    ...page.noted.headings
      .filter(isShown)
      .slice(0, HEADINGS_CAP)
      .map((heading) => fact('h1', lineOf(heading))),
    fact('og:title', head.og['title']),
    fact('og:image', image && pictureAddress(image)),
    ...inOrder(head.jsonLd.flatMap(typesOf)).map((type) => fact('json-ld', type)),
    fact('language', head.language),
  ];
  return facts.flat().slice(0, FACTS_CAP);
}

function fact(name: string, value: string | undefined): HeadField[] {
  const line = collapse((value ?? '').slice(0, CHARS_CAP));
  return line === '' ? [] : [{ name, value: line }];
}

const inOrder = (values: readonly string[]): string[] => [...new Set(values)].filter((value) => value !== '').sort();

/** As it stands in the head, with the site's name. */
function documentTitle({ head, noted }: Page): string | undefined {
  const title =
    noted.titles.find((element) => element.parent === head) ?? noted.titles.find((e) => e.parent?.tag !== 'svg');
  return title && rawText(title, CHARS_CAP);
}

function isShown(element: Element): boolean {
  for (let up: Element | undefined = element; up; up = up.parent)
    if ((up.marks & (Mark.unseen | Mark.excluded)) !== 0) return false;
  return true;
}
