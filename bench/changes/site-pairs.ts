import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { type Case, CORPORA, listIn, textIn } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { printTable } from '../shared/table.ts';
import { atLeast, atMost, comparePair, type Goal, readingOf } from './compare-readings.ts';

const SITE = join(CORPORA, '../peer-bench/site-server.mjs');
const PAGES = 1_500;
const AT_ONCE = 20;

interface Seen {
  /** The site's label: modified, noise, links or same. */
  readonly change: string;
  readonly kinds: readonly string[];
  readonly isModified: boolean;
}

/** Compares two generations of the deterministic site page by page, without history. */
export async function siteGenerations(): Promise<Goal[]> {
  if (!existsSync(SITE)) {
    notMeasured('generations of the test site', 'the peers’ site server is not installed');
    return [];
  }
  const port = await freePort();
  const child = spawn(process.execPath, [SITE, '--port', String(port), '--pages', String(PAGES), '--quiet'], {
    stdio: 'ignore',
  });
  try {
    return report(await seenOn(`http://127.0.0.1:${port}`));
  } finally {
    child.kill();
  }
}

async function seenOn(origin: string): Promise<Seen[]> {
  const truth = await started(`${origin}/__truth.json?gen=2&base=1`);
  const changes = new Map(casesIn(truth, 'changes').map((entry) => [textIn(entry, 'path'), entry]));
  const known = await started(`${origin}/__truth.json?gen=1`);
  const paths = casesIn(known, 'pages')
    .filter((page) => textIn(page, 'kind') === 'page')
    .map((page) => textIn(page, 'path'))
    .filter((path) => !['added', 'removed'].includes(textIn(changes.get(path) ?? {}, 'change')));
  return pLimit(AT_ONCE).map(paths, async (path) => {
    const url = origin + path;
    const [before, after] = await Promise.all([pageAt(url, 1), pageAt(url, 2)]);
    const entry = changes.get(path) ?? {};
    const { isModified } = comparePair(readingOf({ html: before, url }), readingOf({ html: after, url }));
    return { change: textIn(entry, 'change') || 'same', kinds: listIn(entry, 'kinds'), isModified };
  });
}

function report(seen: readonly Seen[]): Goal[] {
  const isVolatile = ({ kinds }: Seen): boolean => kinds.includes('volatile');
  const share = (some: readonly Seen[]): number =>
    some.filter(({ isModified }) => isModified).length / (some.length || 1);
  const modified = seen.filter(({ change }) => change === 'modified');
  const rest = seen.filter(({ change }) => change !== 'modified');
  const kinds = [...new Set(rest.flatMap((page) => (page.kinds.length === 0 ? ['(none)'] : page.kinds)))].sort();
  const ofKind = (kind: string): Seen[] =>
    rest.filter(
      (page) =>
        (kind === '(none)' ? page.kinds.length === 0 : page.kinds.includes(kind)) &&
        (kind === 'volatile' || !isVolatile(page)),
    );
  console.log(
    `site server, generation 1 to 2: ${seen.length} pages, ${modified.length} modified; pages with a live counter apart, which is to be learned`,
  );
  printTable(
    ['what else changed', 'pages', 'reported as modified'],
    kinds.map((kind) => [kind, String(ofKind(kind).length), share(ofKind(kind)).toFixed(3)]),
  );
  const flagged = rest.filter((page) => page.isModified && !isVolatile(page)).length;
  const found = modified.filter(({ isModified }) => isModified).length;
  return [
    atLeast('site server: modified pages found', share(modified), 1),
    atLeast('site server: precision, live counters apart', found / (found + flagged || 1), 0.97),
    ...kinds
      .filter((kind) => kind !== 'volatile')
      .map((kind) => atMost(`site server: ${kind} reported as modified`, share(ofKind(kind)), 0.01)),
  ];
}

const casesIn = (value: unknown, key: string): Case[] => {
  const list: unknown =
    typeof value === 'object' && value !== null ? Object.entries(value).find(([name]) => name === key)?.[1] : undefined;
  return Array.isArray(list) ? list : [];
};

async function pageAt(url: string, generation: number): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(url, {
      headers: { 'x-site-gen': String(generation) },
      signal: AbortSignal.timeout(10_000),
    });
    const text = await answer.text();
    if (answer.ok || attempt >= 3) return text;
  }
}

/** Polls until the server responds. */
async function started(url: string): Promise<unknown> {
  for (let attempt = 0; ; attempt++) {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(20_000) });
      const parsed: unknown = await answer.json();
      return parsed;
    } catch (error) {
      if (attempt >= 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
