import { Parser } from 'htmlparser2';
import { BrokenDocument } from './document.ts';
import { PARSE_DEPTH_CAP } from './xml-tree.ts';

/** An element as it is met, before what it holds. */
export interface MetElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent: string;
  /** Among its parent's elements. */
  readonly index: number;
  /** Characters before it. */
  readonly start: number;
}

/**
 * XML without the elements that are refused, still well-formed, and how many those were.
 *
 * @throws BrokenDocument where it is nested deeper than any document
 */
export function trimXml(
  xml: string,
  isRefused: (element: MetElement) => boolean,
): { readonly xml: string; readonly refused: number } {
  const open: { name: string; children: number }[] = [{ name: '', children: 0 }];
  const kept: string[] = [];
  let from = 0;
  let refused = 0;
  let refusedDepth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const parent = open.at(-1) ?? { name: '', children: 0 };
        const met = {
          name: bare(name),
          attributes,
          parent: parent.name,
          index: parent.children,
          start: parser.startIndex,
        };
        parent.children += 1;
        open.push({ name: met.name, children: 0 });
        if (open.length > PARSE_DEPTH_CAP) throw new BrokenDocument('its markup is nested too deep');
        if (refusedDepth > 0 || !isRefused(met)) return;
        refusedDepth = open.length;
        refused += 1;
        kept.push(xml.slice(from, parser.startIndex));
      },
      onclosetag() {
        if (refusedDepth === open.length) {
          refusedDepth = 0;
          from = parser.endIndex + 1;
        }
        if (open.length > 1) open.pop();
      },
    },
    { xmlMode: true, decodeEntities: false },
  );
  parser.write(xml);
  parser.end();
  if (refused === 0) return { xml, refused };
  if (refusedDepth === 0) kept.push(xml.slice(from));
  return { xml: kept.join(''), refused };
}

const bare = (name: string): string => name.slice(name.indexOf(':') + 1);
