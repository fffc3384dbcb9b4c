import { Parser } from 'htmlparser2';
import { BrokenDocument } from './model/document.ts';
import { PARSE_DEPTH_CAP } from './model/thresholds.ts';

/** An element at its start tag. */
export interface StartTag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent: string;
  /** Index among its parent's elements. */
  readonly index: number;
  /** Number of characters before it. */
  readonly start: number;
}

/**
 * Removes refused elements, keeps the XML well-formed, and counts the removed ones.
 *
 * @throws BrokenDocument if it is nested too deeply
 */
export function trimXml(
  xml: string,
  isRefused: (element: StartTag) => boolean,
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
        const tag = {
          name: localName(name),
          attributes,
          parent: parent.name,
          index: parent.children,
          start: parser.startIndex,
        };
        parent.children += 1;
        open.push({ name: tag.name, children: 0 });
        if (open.length > PARSE_DEPTH_CAP) throw new BrokenDocument('its markup is nested too deep');
        if (refusedDepth > 0 || !isRefused(tag)) return;
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

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
