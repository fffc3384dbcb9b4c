import type { NewProject } from '@tidemark/sdk';
import { type ImportPlan, isRecord, projectsOf, textOf, webUrl } from './plan.ts';

/** Parses CSV (RFC 4180) with commas, semicolons or tabs. */
export function parseCsv(text: string): string[][] {
  const source = text.replace(/^\uFEFF/, '').replace(/^sep=.\r?\n/, '');
  const [head = ''] = source.split('\n');
  const separator = [',', ';', '\t'].reduce((best, one) =>
    head.split(one).length > head.split(best).length ? one : best,
  );
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] ?? '';
    if (character === '"' && cell === '') {
      const end = endOfQuotes(source, at);
      cell = source.slice(at + 1, end).replaceAll('""', '"');
      at = end;
    } else if (character === separator) {
      row.push(cell);
      cell = '';
    } else if (character === '\n') {
      rows.push([...row, cell.replace(/\r$/, '')]);
      row = [];
      cell = '';
    } else cell += character;
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  return rows.filter((cells) => cells.some((one) => one !== ''));
}

/** Returns the index of the quote that closes the one at `start`; two quotes are one in the text. Unclosed: the end of the source. */
function endOfQuotes(source: string, start: number): number {
  let at = source.indexOf('"', start + 1);
  while (at !== -1 && source[at + 1] === '"') at = source.indexOf('"', at + 2);
  return at === -1 ? source.length : at;
}

const planOf = (urls: readonly string[]): ImportPlan => {
  const { projects, invalid } = projectsOf(urls.map((url) => ({ url, settings: { config: {} } })));
  return { projects, notCarried: invalid };
};

/** Reads the column Address of an export of internal pages; rows with another status than 200 or other content than HTML are left out. */
export function fromScreamingFrog(text: string): ImportPlan {
  const [head = [], ...rows] = parseCsv(text);
  const columnOf = (name: string): number => head.findIndex((one) => one.trim().toLowerCase() === name);
  const address = columnOf('address');
  if (address === -1) return { projects: [], notCarried: ['the file has no column Address'] };
  const status = columnOf('status code');
  const type = columnOf('content type');
  const kept = rows.filter((row) => {
    const isOk = status === -1 || row[status] === '200';
    return isOk && (type === -1 || (row[type] ?? '').includes('html'));
  });
  const plan = planOf(kept.map((row) => row[address] ?? ''));
  const left = rows.length - kept.length;
  return {
    ...plan,
    notCarried: [...plan.notCarried, ...(left === 0 ? [] : [`${left} rows without status 200 or that are no HTML`])],
  };
}

/** Reads a list: a URL a line, or JSON of a Crawlee dataset or request queue. */
export function fromList(text: string): ImportPlan {
  if (/^\s*[[{]/.test(text)) {
    const read: unknown = JSON.parse(text);
    const items = Array.isArray(read) ? read : [read];
    return planOf(items.map((item) => (isRecord(item) ? textOf(item['url']) : textOf(item))));
  }
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.trim());
  return planOf(lines.filter((line) => line !== '' && !line.startsWith('#')));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');

function attributesOf(tag: string): Readonly<Record<string, string>> {
  const found = [...tag.matchAll(/([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
  return Object.fromEntries(
    found.map(([, name = '', double, single]) => [name.toLowerCase(), decoded(double ?? single ?? '')]),
  );
}

/** Reads the feeds of an OPML file: one project per site, whose runs fetch the entries of its feeds. */
export function fromOpml(text: string): ImportPlan {
  const notCarried: string[] = [];
  const sites = new Map<string, { name: string; home: string; feeds: Set<string> }>();
  for (const [tag] of text.matchAll(/<outline\b(?:"[^"]*"|'[^']*'|[^>"'])*>/gi)) {
    const { xmlurl = '', htmlurl = '', title, text: label = '' } = attributesOf(tag);
    const feed = webUrl(xmlurl);
    if (feed === undefined) {
      if (xmlurl !== '') notCarried.push(`${xmlurl}: not an http or https URL`);
      continue;
    }
    const home = webUrl(htmlurl) ?? new URL('/', feed);
    const site = sites.get(home.origin) ?? { name: title ?? label, home: home.href, feeds: new Set<string>() };
    site.feeds.add(feed.href);
    sites.set(home.origin, site);
  }
  const projects = [...sites].map(([origin, { name, home, feeds }]): NewProject => {
    const config = { crawl_mode: 'list_only' as const, url_list: [home], feeds: [...feeds] };
    return { name: name || new URL(origin).host, seed: `${origin}/`, config };
  });
  return { projects, notCarried };
}
