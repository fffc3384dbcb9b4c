import { BrokenDocument, type DocumentContent, type DocumentLimits } from './document.ts';
import { escapeHtml, heading, link, table } from './html-text.ts';
import { coreOf, relationsOf } from './office.ts';
import { childOf, childrenOf, elementsOf, findAll, parseXml, textOf, type XmlElement } from './xml-tree.ts';
import type { Zip } from './zip.ts';

type Relations = ReturnType<typeof relationsOf>;

/** Reads a presentation: slides under their titles, texts as lists, tables, and what the speaker notes say. */
export async function readPptx(zip: Zip, limits: DocumentLimits): Promise<DocumentContent> {
  const slides = slidesIn(zip);
  let html = '';
  let read = 0;
  for (const name of slides.slice(0, limits.pages)) {
    if (html.length > limits.textChars) break;
    read += 1;
    html += slideOf(zip, name, read);
  }
  const { facts, ...core } = coreOf(zip, 'pptx');
  const notes = read < slides.length ? [`document cut after ${read} slides`] : [];
  return { html, ...core, facts: { ...facts, slides: slides.length }, notes };
}

/** Slides in the order they are shown, hidden ones too. */
function slidesIn(zip: Zip): string[] {
  const main = [...relationsOf(zip, '').values()].find(({ type }) => type === 'officeDocument')?.target;
  const name = main ?? 'ppt/presentation.xml';
  const xml = zip.xml(name);
  if (xml === undefined) throw new BrokenDocument('the presentation has no main part');
  const relations = relationsOf(zip, name);
  return findAll(parseXml(xml), 'sldId').flatMap(({ attributes }) => {
    const target = relations.get(attributes['r:id'] ?? '')?.target;
    return target !== undefined && zip.has(target) ? [target] : [];
  });
}

function slideOf(zip: Zip, name: string, number: number): string {
  const relations = relationsOf(zip, name);
  const tree = findAll(parseXml(zip.xml(name) ?? ''), 'spTree')[0];
  const shapes = shapesIn(tree);
  const title = shapes.find((shape) => /^(?:ctrT|t)itle$/.test(placeholderOf(shape) ?? ''));
  const said = title === undefined ? '' : paragraphsOf(title).map(plain).join(' ').trim();
  const rest = shapes.filter((shape) => shape !== title).map((shape) => shapeHtml(shape, relations));
  return heading(2, said || `Slide ${number}`) + rest.join('') + notesOf(zip, relations);
}

/** Shapes, tables and pictures, groups opened. */
const shapesIn = (element: XmlElement | undefined): XmlElement[] =>
  elementsOf(element).flatMap((child) =>
    child.name === 'grpSp' || child.name === 'AlternateContent' || child.name === 'Choice' ? shapesIn(child) : [child],
  );

const placeholderOf = (shape: XmlElement): string | undefined => {
  const place = findAll(
    elementsOf(shape).find(({ name }) => name.startsWith('nv')),
    'ph',
  )[0];
  return place === undefined ? undefined : (place.attributes['type'] ?? 'body');
};

function shapeHtml(shape: XmlElement, relations: Relations): string {
  if (shape.name === 'graphicFrame') return findAll(shape, 'tbl').map(tableOf).join('');
  if (shape.name === 'pic') return describedPicture(shape);
  const placeholder = placeholderOf(shape);
  // Dates, footers and numbers are the template's.
  if (shape.name !== 'sp' || /^(?:dt|ftr|sldNum|hdr)$/.test(placeholder ?? '')) return '';
  const paragraphs = paragraphsOf(shape).filter((paragraph) => plain(paragraph).trim() !== '');
  const isList = placeholder !== undefined && placeholder !== 'subTitle' && paragraphs.length > 0;
  if (isList) return listOf(paragraphs, relations);
  return paragraphs.map((paragraph) => `<p>${inline(paragraph, relations)}</p>\n`).join('');
}

/** Paragraphs as a list, nested by their levels. */
function listOf(paragraphs: readonly XmlElement[], relations: Relations): string {
  let html = '';
  let depth = 0;
  for (const paragraph of paragraphs) {
    const level = Math.min(8, Number(childOf(paragraph, 'pPr')?.attributes['lvl'] ?? 0) || 0) + 1;
    if (depth >= level) html += '</li>';
    while (depth > level) {
      html += '</ul></li>';
      depth -= 1;
    }
    while (depth < level) {
      html += depth + 1 < level ? '<ul><li>' : '<ul>';
      depth += 1;
    }
    html += `<li>${inline(paragraph, relations)}`;
  }
  return `${html}</li></ul>${'</li></ul>'.repeat(Math.max(0, depth - 1))}\n`;
}

const paragraphsOf = (shape: XmlElement): XmlElement[] => childrenOf(childOf(shape, 'txBody'), 'p');

const plain = (paragraph: XmlElement): string =>
  elementsOf(paragraph)
    .map((run) => (run.name === 'br' ? ' ' : textOf(childOf(run, 't'))))
    .join('');

function inline(paragraph: XmlElement, relations: Relations): string {
  return elementsOf(paragraph)
    .map((run) => {
      if (run.name === 'br') return '<br>';
      const text = escapeHtml(textOf(childOf(run, 't')));
      const target = relations.get(childOf(childOf(run, 'rPr'), 'hlinkClick')?.attributes['r:id'] ?? '');
      return target?.isOutside === true && text !== '' ? link(target.target, text) : text;
    })
    .join('');
}

const tableOf = (element: XmlElement): string =>
  table(
    childrenOf(element, 'tr').map((row) =>
      childrenOf(row, 'tc').map((cell) => paragraphsOf(cell).map(plain).join('\n').trim()),
    ),
  );

function describedPicture(picture: XmlElement): string {
  const described = findAll(picture, 'cNvPr')[0]?.attributes['descr']?.trim() ?? '';
  return described === '' ? '' : `<p>[${escapeHtml(described.slice(0, 1_000))}]</p>\n`;
}

function notesOf(zip: Zip, relations: Relations): string {
  const name = [...relations.values()].find(({ type }) => type === 'notesSlide')?.target;
  if (name === undefined) return '';
  const shapes = shapesIn(findAll(parseXml(zip.xml(name) ?? ''), 'spTree')[0]);
  const body = shapes.filter((shape) => placeholderOf(shape) === 'body').flatMap(paragraphsOf);
  const said = body.map((paragraph) => inline(paragraph, new Map())).filter((text) => text.trim() !== '');
  return said.length === 0 ? '' : `<blockquote>${said.map((text) => `<p>${text}</p>`).join('\n')}</blockquote>\n`;
}
