/**
 * Measures the cost of reading a page: the whole content step (decode, parse, extract, markdown, text, links, head, evidence,
 * verdict) next to other tools that do part of it, on the same pages in memory, in turns.
 *
 *   npm run bench -- extract [--rounds 8] [--tidemark]
 */
import { parseArgs } from 'node:util';
import { Readability } from '@mozilla/readability';
import { decodeBody, readBody, USUAL_CONTENT } from '@tidemark/page-reader';
import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';
import { htmlToMarkdown } from 'mdream';
import { NodeHtmlMarkdown } from 'node-html-markdown';
import { mean, percentile } from '../content/scores.ts';
import { type BenchPage, largePages, sitePages } from '../shared/generated-pages.ts';
import { printTable } from '../shared/table.ts';

type Reading = (page: BenchPage) => unknown;

const TIDEMARK = 'tidemark, whole step';
const RIVAL = 'readability + node-html-markdown';
const RIVAL_WHOLE = `${RIVAL} + links and head`;

const htmlOf = ({ body }: BenchPage): string => decodeBody(body, undefined).html;

function wholeStep({ url, body }: BenchPage): unknown {
  return readBody({
    body,
    contentType: 'text/html',
    status: 200,
    headers: {},
    requestedUrl: url,
    landedUrl: url,
    rendered: false,
    languages: [],
    content: USUAL_CONTENT,
    parseDocuments: true,
    output: 'bodies',
    minWords: 0,
    formats: ['markdown', 'text', 'links'],
  });
}

type PageDocument = ReturnType<typeof parseHTML>['document'];

/** Extracts markdown with the pair of libraries. Readability modifies the document, so other data is read before. */
function pairOf(document: PageDocument): string {
  return NodeHtmlMarkdown.translate(new Readability(document).parse()?.content ?? '');
}

/** Extracts links and head data from the pair's document, because the whole step extracts them too. */
function linksAndHead(document: PageDocument, url: string): unknown {
  const links = new Map<string, string>();
  for (const link of document.querySelectorAll('a[href]')) {
    const to = URL.parse(link.getAttribute('href') ?? '', url)?.href;
    if (to !== undefined && !links.has(to)) links.set(to, (link.textContent ?? '').replace(/\s+/g, ' ').trim());
  }
  const metas = new Map<string, string>();
  for (const meta of document.querySelectorAll('meta[content]')) {
    const name = meta.getAttribute('property') ?? meta.getAttribute('name');
    if (name !== null) metas.set(name, meta.getAttribute('content') ?? '');
  }
  const related = [...document.querySelectorAll('link[rel][href]')].map((link) => ({
    rel: link.getAttribute('rel'),
    url: URL.parse(link.getAttribute('href') ?? '', url)?.href,
  }));
  const data = [...document.querySelectorAll('script[type="application/ld+json"]')].map(parsedIn);
  const language = document.documentElement.getAttribute('lang');
  return { title: document.querySelector('title')?.textContent, links, metas, related, data, language };
}

function parsedIn({ textContent }: { readonly textContent: string | null }): unknown {
  try {
    return JSON.parse(textContent ?? '');
  } catch {
    return undefined;
  }
}

const TOOLS: Readonly<Record<string, Reading>> = {
  [TIDEMARK]: wholeStep,
  [RIVAL]: (page) => pairOf(parseHTML(htmlOf(page)).document),
  [RIVAL_WHOLE]: (page) => {
    const { document } = parseHTML(htmlOf(page));
    return [linksAndHead(document, page.url), pairOf(document)];
  },
  defuddle: (page) => Defuddle(parseHTML(htmlOf(page)).document, page.url, { useAsync: false, separateMarkdown: true }),
  'mdream (no text, links, verdict)': (page) =>
    htmlToMarkdown(htmlOf(page), { origin: new URL(page.url).origin, minimal: true }),
};
/** Tools too slow for several rounds. */
const ONCE = new Set(['defuddle']);

const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
};

/** Returns the CPU milliseconds of one page. The time of a tool that throws counts too. */
async function timed(read: Reading, page: BenchPage): Promise<number> {
  const before = process.cpuUsage();
  try {
    await read(page);
  } catch {}
  return cpuMs(before);
}

/** Pages each tool reads before it is timed, so that the code is compiled as in a long-running service. */
const WARM_UP_PAGES = 800;

/** Returns the pages that a tool reads in a round; rounds below 1 warm up. A slow tool reads two pages in round 0 and all in round 1. */
function pagesOfRound(tool: string, pages: readonly BenchPage[], round: number): readonly BenchPage[] {
  if (!ONCE.has(tool) || round === 1) return pages;
  return round === 0 ? pages.slice(0, 2) : [];
}

/** Returns the median of each page's rounds, with the tools in turns. Slow tools are timed once after a warm-up on two pages. */
async function measure(pages: readonly BenchPage[], tools: readonly string[], rounds: number) {
  const times = new Map<string, number[][]>(tools.map((tool) => [tool, pages.map(() => [])]));
  for (let round = 1 - Math.ceil(WARM_UP_PAGES / pages.length); round <= rounds; round++) {
    for (const [tool, each] of times) {
      const read = TOOLS[tool];
      if (!read) continue;
      for (const [at, page] of pagesOfRound(tool, pages, round).entries()) {
        const milliseconds = await timed(read, page);
        if (round > 0) each[at]?.push(milliseconds);
      }
    }
  }
  return new Map([...times].map(([tool, each]) => [tool, each.map((rounds) => percentile(rounds, 0.5))]));
}

interface Goal {
  readonly name: string;
  readonly met: boolean;
  readonly text: string;
}

async function compare(name: string, pages: readonly BenchPage[], limitMs: number): Promise<Goal[]> {
  if (pages.length === 0) return [];
  const tools = values.tidemark ? [TIDEMARK] : Object.keys(TOOLS);
  const times = await measure(pages, tools, Number(values.rounds));
  const kilobytes = mean(pages.map(({ body }) => body.length)) / 1_000;
  console.log(`${name}: ${pages.length} pages of ${kilobytes.toFixed(0)} KB on average; CPU ms a page`);
  printTable(
    ['tool', 'median', 'p95', 'max', 'mean', 'pages/s a core'],
    [...times].map(([tool, each]) => [
      tool,
      ...[percentile(each, 0.5), percentile(each, 0.95), Math.max(...each), mean(each)].map((ms) => ms.toFixed(2)),
      (1_000 / mean(each)).toFixed(0),
    ]),
  );
  const [tidemark, rival] = [times.get(TIDEMARK) ?? [], times.get(RIVAL)];
  const median = percentile(tidemark, 0.5);
  const goals = [{ name: `${name}: median ≤ ${limitMs} ms`, met: median <= limitMs, text: `${median.toFixed(2)} ms` }];
  if (!rival) return goals;
  const ratio = mean(rival) / mean(tidemark);
  const whole = mean(times.get(RIVAL_WHOLE) ?? []) / mean(tidemark);
  const text = `${ratio.toFixed(2)} × (${whole.toFixed(2)} × with links and head)`;
  return [...goals, { name: `${name}: ≥ 4 × as fast as ${RIVAL}`, met: ratio >= 4, text }];
}

/** Checks that time grows linearly: a page against the doubled page, minimum of three runs each. */
async function linear(): Promise<Goal[]> {
  const goals: Goal[] = [];
  for (const { name, html } of largePages()) {
    const sizes = [1, 2].map((times) => ({ url: 'https://example.com/', body: Buffer.from(html.repeat(times)) }));
    const best: number[] = [];
    for (const page of sizes) {
      const runs: number[] = [];
      for (let run = 0; run < 3; run++) runs.push(await timed(wholeStep, page));
      best.push(Math.min(...runs));
    }
    const [once = 0, twice = 0] = best;
    const text = `${(html.length / 1e6).toFixed(1)} MB ${once.toFixed(0)} ms, doubled ${twice.toFixed(0)} ms`;
    goals.push({ name: `large page ${name}: linear (doubled ≤ 3 ×)`, met: twice <= once * 3, text });
  }
  return goals;
}

// Warnings of the tools about pages would hide the tables.
console.error = () => {};
console.warn = () => {};

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '8' }, tidemark: { type: 'boolean', default: false } },
});
const goals = [...(await compare('42 KB pages', sitePages(), 5)), ...(await linear())];
printTable(
  ['goal', 'measured', ''],
  goals.map(({ name, text, met }) => [name, text, met ? 'met' : 'MISSED']),
);
if (goals.some(({ met }) => !met)) process.exitCode = 1;
