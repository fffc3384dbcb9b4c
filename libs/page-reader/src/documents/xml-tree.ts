import { Parser } from 'htmlparser2';
import { DEPTH_CAP, ELEMENT_CAP, PARSE_DEPTH_CAP } from './model/thresholds.ts';

/** An element of a small XML file. Names have no prefix. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (XmlElement | string)[];
}

class TooDeep extends Error {}

/** Parses XML leniently. Entities other than XML's five are not expanded. */
export function parseXml(xml: string): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, children: [] };
  const open: XmlElement[] = [root];
  let elements = 0;
  let skipped = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (skipped > 0 || open.length > DEPTH_CAP || elements >= ELEMENT_CAP) {
          skipped += 1;
          if (skipped > PARSE_DEPTH_CAP) throw new TooDeep();
          return;
        }
        elements += 1;
        const element = { name: bareName(name), attributes, children: [] };
        open.at(-1)?.children.push(element);
        open.push(element);
      },
      ontext(text) {
        if (skipped > 0) return;
        const { children } = open.at(-1) ?? root;
        const last = children.length - 1;
        const before = children[last];
        if (typeof before === 'string') children[last] = before + text;
        else children.push(text);
      },
      onclosetag() {
        if (skipped > 0) skipped -= 1;
        else if (open.length > 1) open.pop();
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  try {
    parser.write(xml);
    parser.end();
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
  }
  return root;
}

const bareName = (name: string): string => name.slice(name.indexOf(':') + 1);

export const elementsOf = (element: XmlElement | undefined): XmlElement[] =>
  (element?.children ?? []).filter((child) => typeof child !== 'string');

export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  elementsOf(element).find((child) => child.name === name);

export const childrenOf = (element: XmlElement | undefined, name: string): XmlElement[] =>
  elementsOf(element).filter((child) => child.name === name);

/** Returns every descendant with the name, in document order. */
export function findAll(element: XmlElement | undefined, name: string): XmlElement[] {
  return elementsOf(element).flatMap((child) =>
    child.name === name ? [child, ...findAll(child, name)] : findAll(child, name),
  );
}

export function textOf(element: XmlElement | undefined): string {
  return (element?.children ?? []).map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}
