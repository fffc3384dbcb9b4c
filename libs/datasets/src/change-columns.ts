import { column, nullable } from './column.ts';

/** Columns of the entries of a run's change record. */
export const CHANGE_COLUMNS = [
  column('runId', 'text', 'Run of the record'),
  nullable('baselineRunId', 'text', 'Run the page is compared with'),
  column('id', 'text', 'Entry id'),
  column('place', 'int', 'Position in the record'),
  column('url', 'text', 'URL of the page'),
  column('kind', 'text', 'added, removed, modified, withheld, unverified, same, template'),
  nullable('reason', 'text', 'Why a page is withheld or unverified'),
  nullable('section', 'text', 'Heading of the first change'),
  column('volatile', 'bool', 'Whether everything in it changes on each visit'),
  column('wordsAdded', 'int', 'Words added'),
  column('wordsRemoved', 'int', 'Words removed'),
  nullable('movedFrom', 'text', 'Previous URL of a page that moved'),
  column('returned', 'bool', 'Whether the page was removed before'),
  column('numericOnly', 'bool', 'Whether only numbers differ'),
  column('reordered', 'bool', 'Whether blocks changed their order'),
  column('degraded', 'bool', 'Whether the comparison was simplified'),
  column('truncated', 'bool', 'Whether the entry does not list all blocks'),
  nullable('verdictBefore', 'text', 'Verdict of the earlier capture'),
  nullable('verdictNow', 'text', 'Verdict of the later capture'),
  nullable('links', 'text', 'orphaned or linked'),
  column('firstSeenAt', 'time', 'Time of the run that first had the change'),
  column('reviewed', 'bool', 'Whether the entry is reviewed'),
  nullable('reviewedBy', 'text', 'Key or person that reviewed it'),
  nullable('reviewedAt', 'time', 'Time of the review'),
  column('fields', 'json', 'Changed fields: name, from, to'),
  column('blocks', 'json', 'Changed blocks with their words'),
  nullable('template', 'json', 'For a change that many pages share: their number and some URLs'),
  column('templateRefs', 'list', 'Entries of the shared changes on this page'),
] as const;

/** Columns of the URLs of a stored sitemap tree. */
export const SITEMAP_COLUMNS = [
  column('snapshotId', 'text', 'Discovery that found the URL'),
  column('url', 'text', 'Address'),
  nullable('lastmod', 'text', 'As the file states it'),
  nullable('changefreq', 'text', 'As the file states it'),
  column('source', 'text', 'Kind of the file: sitemap, feed, robots'),
  column('file', 'text', 'File that lists the URL'),
  nullable('section', 'text', 'First segment of the path'),
] as const;

/** One line of a text dataset. */
export const TEXT_COLUMNS = [column('text', 'text', 'Part of the document')] as const;

/** One page of a web archive. */
export const EVIDENCE_COLUMNS = [column('records', 'json', 'Records of a page: WARC 1.1, ISO 28500')] as const;
