import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { bytesOf, CORPORA, readCases, textIn } from './corpora.ts';

/** A page as it was served. */
export interface BenchPage {
  readonly url: string;
  readonly body: Uint8Array;
}

const SITE = join(CORPORA, '../peer-bench/site-server.mjs');
const PAGES = 60;

export function articlePages(): BenchPage[] {
  const folder = 'pages/article-benchmark';
  return readCases(`${folder}/index.json`).map((entry) => ({
    url: textIn(entry, 'url'),
    body: bytesOf(folder, entry),
  }));
}

export const largePages = (): { name: string; html: string }[] =>
  ['big', 'big_list', 'table'].map((name) => ({
    name,
    html: gunzipSync(readFileSync(join(CORPORA, `pages/large/${name}.html.gz`))).toString(),
  }));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Fetches pages of 36 to 48 KB of the deterministic site; returns none where the site server is not installed. */
export async function sitePages(): Promise<BenchPage[]> {
  if (!existsSync(SITE)) return [];
  const port = await freePort();
  const child = spawn(process.execPath, [SITE, '--port', String(port), '--pages', '600', '--quiet'], {
    stdio: 'ignore',
  });
  try {
    const origin = `http://127.0.0.1:${port}`;
    const urls = (await listed(`${origin}/__urls.txt?reach=http`)).split('\n').filter((url) => url !== '');
    const pages: BenchPage[] = [];
    for (const url of urls) {
      if (pages.length >= PAGES) break;
      const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      const body = new Uint8Array(await answer.arrayBuffer());
      const isPage = answer.ok && (answer.headers.get('content-type') ?? '').startsWith('text/html');
      if (isPage && body.length > 36_000 && body.length < 48_000) pages.push({ url, body });
    }
    return pages;
  } finally {
    child.kill();
  }
}

/** Fetches the list of URLs as soon as the site responds. */
async function listed(url: string): Promise<string> {
  const endsAtMs = performance.now() + 15_000;
  for (;;) {
    try {
      return await (await fetch(url, { signal: AbortSignal.timeout(5_000) })).text();
    } catch (error) {
      if (performance.now() > endsAtMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
