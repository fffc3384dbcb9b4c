import { column, nullable } from './column.ts';

/** Columns of the pages of a run. */
export const PAGE_COLUMNS = [
  column('runId', 'text', 'Run or crawl that captured the page'),
  column('id', 'text', 'Capture id'),
  column('number', 'int', 'Position in the run, in the order in which pages ended'),
  column('url', 'text', 'URL after redirects'),
  column('askedUrl', 'text', 'Requested URL'),
  nullable('httpStatus', 'int', 'Status of the response; null if none arrived'),
  column('verdict', 'text', 'ok, thin, blocked, skipped, robots, cached'),
  column('errorCode', 'text', 'OK, or why the page could not be read'),
  nullable('shape', 'text', 'listing, table, form, empty'),
  column('warnings', 'list', 'Warnings about the content'),
  column('signals', 'list', 'Why the verdict was reached'),
  column('reason', 'text', 'The verdict in one sentence'),
  nullable('method', 'text', 'Engine that fetched the page: http, browser'),
  nullable('tier', 'text', 'Step of the capture that succeeded'),
  nullable('climbedTo', 'text', 'Highest step a refused page was tried on'),
  column('credits', 'int', 'Credits charged'),
  nullable('billedAs', 'text', 'Step the page is priced at, if it differs from the fetching one'),
  column('words', 'int', 'Words of the content'),
  nullable('language', 'text', 'Language of the content'),
  nullable('title', 'text', 'Title'),
  nullable('widget', 'text', 'Captcha widget found on the page'),
  nullable('solved', 'text', 'How the widget was solved'),
  column('exitBytes', 'int64', 'Bytes received through an exit'),
  column('redirects', 'list', 'URLs of the redirects'),
  nullable('charset', 'text', 'Character set of the body'),
  column('crawledAt', 'time', 'Time of the capture'),
  column('tookMs', 'int', 'Milliseconds of the capture'),
  column('foundVia', 'text', 'seed, sitemap, list, feed, link, redirect, canonical'),
  nullable('firstReferer', 'text', 'First page found that links to it'),
  column('inSitemap', 'bool', 'Whether a sitemap lists it'),
  column('depth', 'int', 'Links from the seed'),
  nullable('inLinks', 'int', 'Pages of the run that link to it; null until the run has ended'),
  nullable('orphan', 'bool', 'In a sitemap but not linked; null until the run has ended'),
  nullable('unlisted', 'bool', 'Linked but not in a sitemap; null until the run has ended'),
  column('origin', 'text', 'Host'),
  nullable('description', 'text', 'Description in the head'),
  nullable('canonical', 'text', 'Canonical URL in the head'),
  nullable('robots', 'text', 'Robots directives in the head'),
  nullable('fields', 'json', 'Configured fields by name'),
  nullable('extracted', 'json', 'Values that a language model extracted by the schema of the configuration'),
  nullable('head', 'json', 'The head of the page'),
  column('formats', 'list', 'Stored bodies'),
] as const;

/** Columns of the stored markdown of a run. */
export const MARKDOWN_COLUMNS = [
  column('runId', 'text', 'Run or crawl that captured the page'),
  column('url', 'text', 'URL after redirects'),
  nullable('title', 'text', 'Title'),
  nullable('language', 'text', 'Language of the content'),
  column('words', 'int', 'Words of the content'),
  column('crawledAt', 'time', 'Time of the capture'),
  column('markdown', 'text', 'Content as markdown'),
] as const;

/** Columns before the configured fields of a run. */
export const FIELD_KEY_COLUMNS = [
  column('runId', 'text', 'Run that captured the page'),
  column('url', 'text', 'URL after redirects'),
  column('crawledAt', 'time', 'Time of the capture'),
] as const;
