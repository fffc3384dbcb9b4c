import { parseHTML } from 'linkedom';
import { walk } from '../src/tree/page-tree.ts';
import { parsePage } from '../src/tree/parse-page.ts';

const FORBIDDEN =
  /^(?:script|iframe|object|embed|base|meta|form|style|link|svg|math|input|button|textarea|template|frame|frameset)$/i;

/** Lists what a second parser would run or load, according to two independent parsers. */
export function dangersIn(html: string): string[] {
  const dangers: string[] = [];
  const check = (tag: string, names: Iterable<[string, string]>): void => {
    if (FORBIDDEN.test(tag)) dangers.push(tag);
    for (const [name, value] of names) {
      if (/^on|^style$|^srcdoc$|^formaction$/i.test(name)) dangers.push(`${tag} ${name}`);
      if (/^(?:href|src)$/i.test(name) && !/^(?:https?:|mailto:|tel:)/i.test(value))
        dangers.push(`${tag} ${name}=${value}`);
    }
  };
  walk(parsePage(html).body, (element) => void check(element.tag, Object.entries(element.attributes)));
  for (const element of parseHTML(`<html><body>${html}</body></html>`).document.body.querySelectorAll('*')) {
    check(
      element.tagName,
      Array.from(element.attributes, ({ name, value }): [string, string] => [name, value]),
    );
  }
  return dangers;
}
