import type { Entry } from '@tidemark/contracts/diff/v1/diff';
import type { Project } from '@tidemark/contracts/projects/v1/projects';
import { escapeHtml } from '@tidemark/html';

/** Maximum length of a summary in characters. */
const MAX_SUMMARY = 2_000;
/** Characters that XML 1.0 excludes (https://www.w3.org/TR/xml/#charsets). */
const INVALID_IN_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const toXml = (text: string): string => escapeHtml(text.replace(INVALID_IN_XML, ''));

const KIND_TITLES: Readonly<Record<string, string>> = {
  added: 'New page',
  removed: 'Page removed',
  modified: 'Page changed',
  template: 'Changed on many pages',
};

/** Writes the newest changes of a project as an Atom feed (RFC 4287). */
export function writeFeed(
  project: Project,
  entries: readonly Entry[],
  { baseUrl, self }: { readonly baseUrl: string; readonly self: string },
): string {
  // The same for every URL of the feed (RFC 4287 4.2.6).
  const id = `${baseUrl}/projects/${project.id}/changes.atom`;
  const title = `Changes of ${project.name === '' ? project.seed : project.name}`;
  const updated = entries[0]?.firstSeenAt ?? project.createdAt ?? new Date(0);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>${toXml(id)}</id>`,
    `  <title>${toXml(title)}</title>`,
    `  <link rel="self" href="${toXml(self)}"/>`,
    `  <link rel="alternate" href="${toXml(project.seed)}"/>`,
    `  <updated>${updated.toISOString()}</updated>`,
    '  <author><name>Tidemark</name></author>',
    ...entries.map((entry) => writeEntry(entry)),
    '</feed>',
    '',
  ].join('\n');
}

function writeEntry(entry: Entry): string {
  const { id, url, kind, section, template } = entry;
  const kindTitle = KIND_TITLES[kind] ?? kind;
  const pages = template === undefined ? '' : ` (${template.pages} pages)`;
  const title = `${kindTitle}${pages}: ${section === '' ? url : section}`;
  return [
    '  <entry>',
    `    <id>urn:tidemark:${toXml(id)}</id>`,
    `    <title>${toXml(title)}</title>`,
    `    <link href="${toXml(url)}"/>`,
    `    <updated>${(entry.firstSeenAt ?? new Date(0)).toISOString()}</updated>`,
    `    <category term="${toXml(kind)}"/>`,
    `    <summary type="text">${toXml(summarize(entry))}</summary>`,
    '  </entry>',
  ].join('\n');
}

/** Returns a plain-text summary of a change. */
function summarize({ url, wordsAdded, wordsRemoved, movedFrom, blocks, fields }: Entry): string {
  const lines = [
    url,
    ...(movedFrom === '' ? [] : [`moved from ${movedFrom}`]),
    ...(wordsAdded + wordsRemoved === 0 ? [] : [`${wordsAdded} words added, ${wordsRemoved} removed`]),
    ...fields.map(({ name, from, to }) => `${name}: ${from ?? '(none)'} → ${to ?? '(none)'}`),
    ...blocks
      .filter(({ volatile }) => !volatile)
      .flatMap(({ before, after }) => [
        ...(before === undefined ? [] : [`- ${before}`]),
        ...(after === undefined ? [] : [`+ ${after}`]),
      ]),
  ];
  const text = lines.join('\n');
  return text.length <= MAX_SUMMARY ? text : `${text.slice(0, MAX_SUMMARY)}…`;
}
