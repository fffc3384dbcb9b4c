import { BrokenDocument, type DocumentContent, type DocumentLimits } from './model/document.ts';
import { escapeHtml, heading, link, table } from './model/write-html.ts';
import { coreOf, type Relations, relationsOf } from './office-file.ts';
import { childOf, childrenOf, elementsOf, findAll, parseXml, textOf, type XmlElement } from './xml-tree.ts';
import type { Zip } from './zip.ts';

/** Reads a presentation: slides with titles, text as lists, tables, and speaker notes. */
export async function readPptx(zip: Zip, limits: DocumentLimits): Promise<DocumentContent> {
  const slides = slidesIn(zip);
  let html = '';
  let read = 0;
  for (const name of slides.slice(0, limits.pages)) {
    if (html.length > limits.textChars) break;
    read += 1;
    html += slideOf(zip, name, read);
  }
  const { properties, ...core } = coreOf(zip, 'pptx');
  const notes = read < slides.length ? [`document cut after ${read} slides`] : [];
  return { html, ...core, properties: { ...properties, slides: slides.length }, notes };
}

/** Returns the slides in order of presentation, including hidden ones. */
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
  const text = title === undefined ? '' : paragraphsOf(title).map(plain).join(' ').trim();
  const rest = shapes.filter((shape) => shape !== title).map((shape) => shapeHtml(shape, relations));
  return heading(2, text || `Slide ${number}`) + rest.join('') + notesOf(zip, relations);
}

/** Returns shapes, tables and images, with groups expanded. */
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
  // Dates, footers and slide numbers belong to the template.
  if (shape.name !== 'sp' || /^(?:dt|ftr|sldNum|hdr)$/.test(placeholder ?? '')) return '';
  const paragraphs = paragraphsOf(shape).filter((paragraph) => plain(paragraph).trim() !== '');
  const isList = placeholder !== undefined && placeholder !== 'subTitle' && paragraphs.length > 0;
  if (isList) return listOf(paragraphs, relations);
  return paragraphs.map((paragraph) => `<p>${inline(paragraph, relations)}</p>\n`).join('');
}

/** Writes paragraphs as a list, nested by level. */
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
  const text = body.map((paragraph) => inline(paragraph, new Map())).filter((text) => text.trim() !== '');
  return text.length === 0 ? '' : `<blockquote>${text.map((text) => `<p>${text}</p>`).join('\n')}</blockquote>\n`;
}
