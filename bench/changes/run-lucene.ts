import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Change } from '@tidemark/api';
import type { Api } from '../../test/harness/api.ts';
import { listIn, readCases, textIn } from '../shared/corpora.ts';
import { atMost, type Goal, unpacked } from './compare-readings.ts';
import { showRecord, watchSite } from './run-project.ts';

const HOST = '127.0.0.3';
const MOST_ENTRIES = 80;

/** Serves one version of the site at a time. */
interface VersionServer {
  readonly origin: string;
  show(version: string): void;
  close(): void;
}

/** Publishes every version of lucene.apache.org in order, runs one project on each, and counts the entries of its records. */
export function luceneRecords(api: Api): Promise<Goal[]> {
  return unpacked('lucene-site/versions.tar.xz', async (folder) => {
    const publishes = readCases('changes/lucene-site/truth.json');
    const versions = [textIn(publishes[0] ?? {}, 'a'), ...publishes.map((entry) => textIn(entry, 'b'))];
    const paths = [...new Set(versions.flatMap((version) => pagesOf(join(folder, version, 'output'))))].sort();
    const server = await serveVersions(folder);
    try {
      const run = await watchSite(api, {
        seed: `${server.origin}/index.html`,
        config: {
          crawl_mode: 'list_only',
          url_list: paths.map((path) => `${server.origin}/${path}`),
          max_tier: 'http',
          use_sitemap: false,
        },
      });
      server.show(versions[0] ?? '');
      showRecord(versions[0]?.slice(0, 7) ?? '', await run());
      let [entries, wrong] = [0, 0];
      for (const publish of publishes) {
        server.show(textIn(publish, 'b'));
        const recorded = await run();
        showRecord(textIn(publish, 'b').slice(0, 7), recorded);
        entries += recorded.entries.length;
        if (!isExact(recorded.entries, listIn(publish, 'name_status'))) wrong += 1;
      }
      return [
        atMost('lucene-site end to end: entries', entries, MOST_ENTRIES),
        atMost('lucene-site end to end: publishes with a page added or removed wrongly', wrong, 0),
      ];
    } finally {
      server.close();
    }
  });
}

const pagesOf = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.html'))
    : [];

async function serveVersions(folder: string): Promise<VersionServer> {
  let version = '';
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const file = join(folder, version, 'output', path);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (path.endsWith('.html') && existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end('<!doctype html><title>404 Not Found</title><h1>Not Found</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return {
    origin: `http://${HOST}:${address.port}`,
    show: (expected) => {
      version = expected;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Compares added and removed pages with those of the publish. */
function isExact(entries: readonly Change[], statuses: readonly string[]): boolean {
  const recorded = (kind: Change['kind']): string =>
    entries
      .filter((entry) => entry.kind === kind)
      .map(({ url }) => `output${new URL(url).pathname}`)
      .sort()
      .join();
  const expected = (letter: string): string =>
    statuses
      .flatMap((line) => {
        const [status, path = ''] = line.split('\t');
        return status === letter ? path : [];
      })
      .sort()
      .join();
  return recorded('added') === expected('A') && recorded('removed') === expected('D');
}
