import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../../test/harness/api.ts';
import { printTable } from '../shared/table.ts';
import { atLeast, atMost, type Goal } from './compare-readings.ts';
import { Tokens } from './random-tokens.ts';
import { type RecordedRun, showRecord, watchSite } from './run-project.ts';

const ADDRESS = '127.0.0.2';
/** Seconds after the end of the first run at which pages are edited; undefined: never. */
const EDITED_AT_SECONDS = [1, 5, 25, 32, 42, 60, undefined] as const;
/** Second after the end of the first run at which the second one starts. */
const SECOND_RUN_AT = 75;
/** Pages of a kind that are never edited. */
const UNEDITED_PAGES = 3;

const QUOTES = [
  'Well begun is half done.',
  'Slow water wears down hard rock.',
  'Every path has its puddle.',
  'Nothing is lost that a friend keeps.',
  'Small leaks sink large ships.',
  'Old bread is still better than none.',
  'Measure twice and cut once.',
  'A rider of two horses falls between them.',
];

/** What a page shows beside its text, on each visit. */
const NOISE: Readonly<Record<string, (tokens: Tokens, visit: number) => string>> = {
  'no noise': () => 'The same line on every visit.',
  'random words': (tokens) => tokens.words(9),
  'one of 3 quotations': (tokens) => QUOTES[tokens.below(3)] ?? '',
  'one of 8 quotations': (tokens) => QUOTES[tokens.below(8)] ?? '',
  'a number of visits': (_, visit) => `Opened ${4_000 + visit} times so far`,
};

interface PageCase {
  readonly path: string;
  readonly noise: string;
  readonly editedAtSeconds: (typeof EDITED_AT_SECONDS)[number];
  /** A word that no other page has. */
  readonly word: string;
}

/** Each page has a folder of its own, so that every one is among the sample pages. */
const CASES: readonly PageCase[] = Object.keys(NOISE).flatMap((noise, kind) =>
  EDITED_AT_SECONDS.flatMap((editedAtSeconds, time) =>
    Array.from({ length: editedAtSeconds === undefined ? UNEDITED_PAGES : 1 }, (_, copy) => ({
      path: `/kind${kind}-${time}-${copy}/page`,
      noise,
      editedAtSeconds,
      word: `word${kind}x${time}x${copy}`,
    })),
  ),
);

/** Runs a project on a site whose pages are edited after the first run, while its sample pages are recaptured. */
export async function editRecords(api: Api): Promise<Goal[]> {
  const site = await startEditedSite();
  try {
    const config = { use_sitemap: false, max_tier: 'http', concurrency: 10, template_changes: 'each' };
    const run = await watchSite(api, { seed: `${site.origin}/`, config });
    showRecord('before the edits', await run());
    await site.editInTime();
    const second = await run();
    showRecord('after the edits', second);
    return scoreEdits(second, site.origin);
  } finally {
    site.close();
  }
}

async function startEditedSite() {
  const edited = new Set<PageCase>();
  const visits = new Map<string, number>();
  const tokens = new Tokens('edits');
  const byPath = new Map(CASES.map((page) => [page.path, page]));
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const page = byPath.get(path);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (path === '/')
      return void response.end(
        document('Home', CASES.map((one) => `<p><a href="${one.path}">${one.word}</a></p>`).join('')),
      );
    if (page === undefined) return void response.writeHead(404).end();
    const visit = (visits.get(path) ?? 0) + 1;
    visits.set(path, visit);
    const state = edited.has(page) ? `closed since the notice ${page.word}` : 'open as it ever was';
    const noise = NOISE[page.noise]?.(tokens, visit) ?? '';
    response.end(
      document(
        page.word,
        `<p>The office ${page.word} is ${state}.</p><p>${FILLER}</p><div class="line">${noise}</div>`,
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  const bound = server.address();
  return {
    origin: `http://${ADDRESS}:${typeof bound === 'object' ? bound?.port : ''}`,
    /** Edits each page at its time after the call. */
    async editInTime() {
      const startedAtMs = performance.now();
      const until = (second: number) => sleep(Math.max(0, startedAtMs + second * 1_000 - performance.now()));
      for (const second of EDITED_AT_SECONDS) {
        if (second === undefined) continue;
        await until(second);
        for (const page of CASES) if (page.editedAtSeconds === second) edited.add(page);
      }
      await until(SECOND_RUN_AT);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const FILLER = 'The tide came in over the marsh and the gauge at the pier read higher than it had all winter. '.repeat(
  4,
);

const document = (title: string, main: string): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>${main}</main></body></html>`;

function scoreEdits({ entries, record }: RecordedRun, origin: string): Goal[] {
  const modified = new Map(entries.filter(({ kind }) => kind === 'modified').map((entry) => [entry.url, entry]));
  const isFound = ({ path, word }: PageCase): boolean =>
    modified
      .get(origin + path)
      ?.blocks.some(({ volatile, after }) => !volatile && after?.includes(`notice ${word}`)) === true;
  const edits = CASES.filter(({ editedAtSeconds }) => editedAtSeconds !== undefined);
  const unedited = CASES.filter(({ editedAtSeconds }) => editedAtSeconds === undefined);
  const found = edits.filter(isFound).length;
  printTable(
    [
      'on every visit',
      ...EDITED_AT_SECONDS.map((at) => (at === undefined ? 'unedited, reported' : `edits at +${at} s`)),
    ],
    Object.keys(NOISE).map((noise) => [
      noise,
      ...EDITED_AT_SECONDS.map((at) => {
        const pages = CASES.filter((page) => page.noise === noise && page.editedAtSeconds === at);
        const count = pages.filter((page) =>
          at === undefined ? modified.has(origin + page.path) : isFound(page),
        ).length;
        return `${count} of ${pages.length}`;
      }),
    ]),
  );
  console.log(`ignored: ${record.counts?.['volatileBlocks']}`);
  const isReported = ({ path }: PageCase): boolean => modified.has(origin + path);
  const ofNoise = (noise: string): PageCase[] => unedited.filter((page) => page.noise === noise);
  const share = (pages: readonly PageCase[]): number => pages.filter(isReported).length / pages.length;
  return [
    atLeast('edits after the first run: found', found / edits.length, 1),
    atMost('pages without noise and edits: reported', share(ofNoise('no noise')), 0),
    atMost('random words on every visit: reported', share(ofNoise('random words')), 0),
    atMost('a number of visits: reported', share(ofNoise('a number of visits')), 0),
    atMost('one of 8 quotations: reported', share(ofNoise('one of 8 quotations')), 0.1),
    atMost('one of 3 quotations: reported', share(ofNoise('one of 3 quotations')), 0.5),
  ];
}
