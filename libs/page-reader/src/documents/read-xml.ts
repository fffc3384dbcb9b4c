import { decodeBody } from '../page/decode-body.ts';
import { feedIn, writeFeed } from './feed.ts';
import type { DocumentContent, DocumentInput, DocumentLimits } from './model/document.ts';
import { READ_XML_MARKUP_CHARS } from './model/thresholds.ts';
import { codeBlock, definitions, escapeHtml, heading, link, paragraph } from './model/write-html.ts';
import { childOf, childrenOf, elementsOf, findAll, parseXml, textOf, type XmlElement } from './xml-tree.ts';

/** Reads feeds and sitemaps as lists, SVG as text, and other XML as code. */
export async function readXml(input: DocumentInput, limits: DocumentLimits): Promise<DocumentContent> {
  const { html: whole } = decodeBody(input.bytes, input.contentType);
  const source = whole.slice(0, READ_XML_MARKUP_CHARS);
  const root = elementsOf(parseXml(source))[0];
  const feed = root === undefined ? undefined : feedIn(root);
  if (feed !== undefined) return writeFeed(feed, root?.name === 'feed' ? 'atom' : 'rss', limits);
  if (root?.name === 'urlset' || root?.name === 'sitemapindex') return sitemap(root, limits);
  if (input.kind === 'svg' && root?.name === 'svg') return drawing(root);
  const text = source.slice(0, limits.textChars).trim();
  const notes =
    whole.length > text.length + 1_000 && whole.length > limits.textChars
      ? [`document cut after ${limits.textChars} characters`]
      : [];
  return { html: codeBlock(text, 'xml'), text, properties: { kind: 'xml' }, notes };
}

/** https://www.sitemaps.org/protocol.html */
function sitemap(root: XmlElement, limits: DocumentLimits): DocumentContent {
  const all = elementsOf(root).filter(({ name }) => name === 'url' || name === 'sitemap');
  const listed = all.slice(0, limits.rows).map((entry) => {
    const url = textOf(childOf(entry, 'loc')).trim();
    const date = textOf(childOf(entry, 'lastmod')).trim();
    return url === '' ? '' : `<li>${link(url, escapeHtml(url))}${date === '' ? '' : ` ${escapeHtml(date)}`}</li>\n`;
  });
  const notes = listed.length < all.length ? [`sitemap cut after ${listed.length} of ${all.length} URLs`] : [];
  const html = `<ul>\n${listed.join('')}</ul>\n`;
  return { html, properties: { kind: 'sitemap', items: all.length }, notes, shape: 'listing' };
}

/** Reads title, description and text of an SVG: https://www.w3.org/TR/SVG2/struct.html#TitleElement */
function drawing(root: XmlElement): DocumentContent {
  const title = textOf(childOf(root, 'title')).trim();
  const [, , width, height] = (root.attributes['viewBox'] ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const size = {
    width: Number.parseFloat(root.attributes['width'] ?? '') || width || 0,
    height: Number.parseFloat(root.attributes['height'] ?? '') || height || 0,
  };
  const words = findAll(root, 'text').map((text) => paragraph(textOf(text).replace(/\s+/g, ' ')));
  const described = childrenOf(root, 'desc').map((desc) => paragraph(textOf(desc)));
  const properties = size.width > 0 && size.height > 0 ? size : {};
  const measured: [string, string][] =
    size.width > 0 && size.height > 0 ? [['Size', `${size.width} × ${size.height}`]] : [];
  return {
    html: heading(1, title) + described.join('') + words.join('') + definitions([['Format', 'svg'], ...measured]),
    ...(title === '' ? {} : { title }),
    properties: { kind: 'image', format: 'svg', ...properties },
    notes: [],
  };
}
