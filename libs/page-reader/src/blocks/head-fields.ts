import type { HeadField } from '@tidemark/contracts/page/v1/blocks';
import { typesOf } from '../head/json-ld.ts';
import type { HeadData } from '../head/read-head.ts';
import { collapseSpaces, Flag, inheritsFlag, type Page, rawText, visibleLine } from '../tree/page-tree.ts';
import { comparisonUrlWithScheme, imageUrl } from './comparison-url.ts';
import { FIELDS_CAP, HEAD_FIELDS_CHARS_CAP, HEADINGS_CAP } from './thresholds.ts';

/** Returns the values of the head that are compared, one entry per value, sets in a fixed order. */
export function headFields(page: Page, head: HeadData): HeadField[] {
  const image = head.og['image'];
  const fields = [
    field('title', documentTitle(page) ?? head.headline),
    field('description', head.description),
    field('canonical', head.canonical && (comparisonUrlWithScheme(head.canonical) ?? head.canonical)),
    field('robots', head.robots && inOrder(head.robots.toLowerCase().split(/\s*,\s*/)).join(', ')),
    ...inOrder(
      head.hreflang.map(({ lang, url }) => `${lang.toLowerCase()} ${comparisonUrlWithScheme(url) ?? url}`),
    ).map((value) => field('hreflang', value)),
    ...page.indexed.headings
      .filter((heading) => !inheritsFlag(heading, Flag.notRendered | Flag.excluded))
      .slice(0, HEADINGS_CAP)
      .map((heading) => field('h1', visibleLine(heading))),
    field('og:title', head.og['title']),
    field('og:image', image && imageUrl(image)),
    ...inOrder(head.jsonLd.flatMap(typesOf)).map((type) => field('json-ld', type)),
    field('language', head.language),
  ];
  return fields.flat().slice(0, FIELDS_CAP);
}

function field(name: string, value: string | undefined): HeadField[] {
  const line = collapseSpaces((value ?? '').slice(0, HEAD_FIELDS_CHARS_CAP));
  return line === '' ? [] : [{ name, value: line }];
}

const inOrder = (values: readonly string[]): string[] => [...new Set(values)].filter((value) => value !== '').sort();

/** Returns the document title as it stands in the head, with the site's name. */
function documentTitle({ head, indexed }: Page): string | undefined {
  const title =
    indexed.titles.find((element) => element.parent === head) ?? indexed.titles.find((e) => e.parent?.tag !== 'svg');
  return title && rawText(title, HEAD_FIELDS_CHARS_CAP);
}
