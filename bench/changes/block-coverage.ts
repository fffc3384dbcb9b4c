import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Block, Landmark } from '@tidemark/contracts/page/v1/blocks';
import { decodeBody, readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { missingWords } from '@tidemark/page-reader/testing/missing-words';
import { CORPORA } from '../shared/corpora.ts';
import { unpacked } from './compare-readings.ts';

/** Words of a page's text that comparisons do not cover. */
export interface PageCoverage {
  readonly page: string;
  readonly words: number;
  /** Words in no block. */
  readonly uncut: readonly string[];
  /** Words in no block of the content: a change of them makes no entry. */
  readonly uncounted: readonly string[];
  readonly isInOrder: boolean;
  /** Why words are missing: shares of the page's words. */
  readonly reason: string;
}

const isContent = ({ landmark }: Pick<Block, 'landmark'>): boolean =>
  landmark === Landmark.LANDMARK_MAIN || landmark === Landmark.LANDMARK_UNSPECIFIED;

const NAMES: ReadonlyMap<Landmark, string> = new Map([
  [Landmark.LANDMARK_HEADER, 'header'],
  [Landmark.LANDMARK_NAV, 'nav'],
  [Landmark.LANDMARK_ASIDE, 'aside'],
  [Landmark.LANDMARK_FOOTER, 'footer'],
]);

/** Reads and cuts a page as a run does. */
export function coverageOf(page: string, bytes: Uint8Array): PageCoverage {
  const { html } = decodeBody(bytes, undefined);
  const { text = '', blocks } = readPage({
    html,
    url: 'https://example.com/page',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
    cut: { volatileSelectors: [] },
  });
  const all = blocks?.blocks ?? [];
  const { words, missing, isInOrder } = missingWords(text, all);
  const { missing: uncounted } = missingWords(text, all.filter(isContent));
  return { page, words, uncut: missing, uncounted, isInOrder, reason: reasonOf(missing, uncounted, all) };
}

/** States the part of the page that holds the words outside the content, and the first words that are in no block. */
function reasonOf(uncut: readonly string[], uncounted: readonly string[], blocks: readonly Block[]): string {
  const parts: string[] = [];
  if (uncut.length > 0) parts.push(`in no block: "${uncut.slice(0, 12).join(' ').slice(0, 160)}"`);
  if (uncounted.length <= uncut.length) return parts.join('; ');
  const places = new Map<string, number>();
  for (const block of blocks) {
    if (isContent(block)) continue;
    const found = missingWords(block.text, [{ text: uncounted.join(' ') }]);
    const name = NAMES.get(block.landmark) ?? 'other';
    places.set(name, (places.get(name) ?? 0) + found.words - found.missing.length);
  }
  const [most] = [...places].toSorted((one, other) => other[1] - one[1]);
  return [...parts, `outside the content: ${most?.[0] ?? 'nowhere'}`].join('; ');
}

const FOLDERS = ['pages', 'products', 'verdicts', 'changes/edgi-labelled'];
const ARCHIVES = ['ota-demo/html.tar.xz', 'ota-dating/html.tar.xz', 'lucene-site/versions.tar.xz'];
const HTML = /\.html?(?:\.gz)?$/;

function* pagesIn(folder: string, name: string): Generator<PageCoverage> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => HTML.test(file));
  for (const file of files.sort()) {
    const bytes = readFileSync(join(folder, file));
    yield coverageOf(join(name, file), file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  }
}

/** Measures every page of the corpora, one set after the other. */
export async function coverageOfCorpora(): Promise<ReadonlyMap<string, readonly PageCoverage[]>> {
  const sets = new Map<string, readonly PageCoverage[]>();
  for (const name of FOLDERS) sets.set(name, [...pagesIn(join(CORPORA, name), name)]);
  for (const archive of ARCHIVES) {
    const name = `changes/${dirname(archive)}`;
    sets.set(name, await unpacked(archive, (folder) => [...pagesIn(folder, name)]));
  }
  return sets;
}
