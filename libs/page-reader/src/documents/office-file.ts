import { BrokenDocument, type DocumentProperties, defined } from './model/document.ts';
import { childOf, parseXml, textOf } from './xml-tree.ts';
import type { Zip } from './zip.ts';

export type OfficeKind = 'docx' | 'xlsx' | 'pptx';

const MAIN: readonly (readonly [RegExp, OfficeKind])[] = [
  [/wordprocessingml\.(?:document|template)\.main\+xml|ms-word\.\w+\.macroEnabled(?:Template)?\.main\+xml/i, 'docx'],
  [/spreadsheetml\.(?:sheet|template)\.main\+xml|ms-excel\.\w+\.macroEnabled\.main\+xml/i, 'xlsx'],
  [
    /presentationml\.(?:presentation|slideshow|template)\.main\+xml|ms-powerpoint\.\w+\.macroEnabled\.main\+xml/i,
    'pptx',
  ],
];

/** Returns the kind of Office file by its declared content types: ECMA-376 part 2, 7.2.3 */
export function officeKindIn(zip: Zip): OfficeKind {
  const types = zip.xml('[Content_Types].xml');
  if (types === undefined) throw new BrokenDocument('the zip is not an Office file: it has no content types');
  const found = MAIN.find(([type]) => type.test(types))?.[1];
  if (found === undefined) throw new BrokenDocument('the zip is not a document, sheet or presentation');
  return found;
}

/** Reads the core properties: ECMA-376 part 2, 8.3 */
export function coreOf(
  zip: Zip,
  kind: OfficeKind,
): { title?: string; language?: string; properties: DocumentProperties } {
  const core = childOf(parseXml(zip.xml('docProps/core.xml') ?? ''), 'coreProperties');
  const fieldText = (name: string): string | undefined =>
    textOf(childOf(core, name)).trim().slice(0, 1_000) || undefined;
  const pages = Number(/<Pages>(\d{1,6})<\/Pages>/.exec(zip.xml('docProps/app.xml') ?? '')?.[1] ?? 0) || undefined;
  const [created, modified] = [fieldText('created'), fieldText('modified')].map(isoDate);
  const [author, subject, keywords] = [fieldText('creator'), fieldText('subject'), fieldText('keywords')];
  return {
    ...defined({ title: fieldText('title'), language: fieldText('language') }),
    properties: {
      kind,
      ...defined({ author, subject, keywords, created, modified, ...(kind === 'docx' ? { pages } : {}) }),
    },
  };
}

function isoDate(text: string | undefined): string | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** The relations of a part of an office file, by id: its target, its type, and whether the target is outside of the file. */
export type Relations = ReadonlyMap<
  string,
  { readonly target: string; readonly type: string; readonly isOutside: boolean }
>;

/** Returns a part's relationships by id: the target, and whether it is outside the file. */
export function relationsOf(zip: Zip, part: string): Relations {
  const [, folder = '', name = ''] = /^(.*\/)?([^/]*)$/.exec(part) ?? [];
  const found = childOf(parseXml(zip.xml(`${folder}_rels/${name}.rels`) ?? ''), 'Relationships');
  return new Map(
    (found?.children ?? []).flatMap((child) => {
      if (typeof child === 'string') return [];
      const { Id = '', Target = '', Type = '', TargetMode } = child.attributes;
      const isOutside = TargetMode === 'External';
      return [
        [Id, { target: isOutside ? Target : inside(Target, folder), type: Type.replace(/^.*\//, ''), isOutside }],
      ];
    }),
  );
}

/** Resolves a target inside the file, relative to the part's folder or to the root. */
const inside = (target: string, folder: string): string =>
  decodeURI(new URL(target.replaceAll('%', '%25'), `file:///${folder}`).pathname.slice(1));
