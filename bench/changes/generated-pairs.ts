import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCases, textIn } from '../shared/corpora.ts';
import { printTable } from '../shared/table.ts';
import { atLeast, atMost, type Goal, readingOf, unpacked } from './compare-readings.ts';
import {
  type AuthorEdit,
  EMPTY_BLOCKS,
  HEAD_EDITS,
  HEAD_LISTS,
  LINK_EDITS,
  LINK_TOKENS,
  type PageEdit,
  SPACING,
  VISIBLE_EDITS,
  WIDGETS,
} from './page-edits.ts';
import { Tokens } from './random-tokens.ts';
import { recordBetween } from './record.ts';

/** A real page, one version of each. */
export interface BasePage {
  readonly name: string;
  readonly url: string;
  readonly html: string;
}

/** Reads one version of every page of the labelled pairs. */
export async function basePages(): Promise<BasePage[]> {
  const pages: BasePage[] = [];
  for (const set of ['ota-demo', 'ota-dating'])
    await unpacked(`${set}/html.tar.xz`, (folder) => {
      const byPath = new Map(readCases(`changes/${set}/pairs.json`).map((entry) => [textIn(entry, 'path'), entry]));
      for (const [name, entry] of byPath)
        pages.push({
          name,
          url: textIn(entry, 'url') || 'https://example.com/terms',
          html: readFileSync(join(folder, textIn(entry, 'a')), 'utf8'),
        });
    });
  return pages;
}

interface Section {
  readonly name: string;
  /** Differences without an edit. */
  readonly noise: Readonly<Record<string, AuthorEdit>>;
  /** Real edits. */
  readonly edits: Readonly<Record<string, AuthorEdit>>;
}

/** Two visits to one content. */
const visits = (edits: Readonly<Record<string, PageEdit>>): Record<string, AuthorEdit> =>
  Object.fromEntries(
    Object.entries(edits).map(([name, edit]) => [
      name,
      (html: string, tokens: Tokens) => [edit(html, tokens), edit(html, tokens)] as const,
    ]),
  );

const SECTIONS: readonly Section[] = [
  { name: 'link tokens', noise: visits(LINK_TOKENS), edits: LINK_EDITS },
  { name: 'empty blocks', noise: { ...EMPTY_BLOCKS, ...SPACING }, edits: VISIBLE_EDITS },
  { name: 'widgets', noise: WIDGETS, edits: VISIBLE_EDITS },
  { name: 'head lists', noise: visits(HEAD_LISTS), edits: HEAD_EDITS },
];

/** Evaluates real pages with one kind of difference each, pair by pair, with nothing learned. */
export async function generatedPairs(pages: readonly BasePage[]): Promise<Goal[]> {
  const goals: Goal[] = [];
  const rows: string[][] = [];
  const score = async (name: string, edits: Section['edits']): Promise<number> => {
    let [all, reported] = [0, 0];
    for (const [kind, edit] of Object.entries(edits)) {
      const modified = (await Promise.all(pages.map((page) => isModified(page, kind, edit)))).filter(Boolean).length;
      rows.push([name, kind, String(pages.length), String(modified)]);
      all += pages.length;
      reported += modified;
    }
    return reported / (all || 1);
  };
  for (const { name, noise, edits } of SECTIONS) {
    goals.push(atMost(`${name}: noise the record calls modified`, await score(`${name}: noise`, noise), 0.015));
    goals.push(atLeast(`${name}: changes the record calls modified`, await score(`${name}: change`, edits), 0.98));
  }
  console.log(`real pages with one kind of difference each: ${pages.length} pages`);
  printTable(['section', 'kind', 'pairs', 'modified'], rows);
  return goals;
}

async function isModified({ name, url, html }: BasePage, kind: string, edit: AuthorEdit): Promise<boolean> {
  const [before, after] = edit(html, new Tokens(`${name} ${kind}`));
  const [old, now] = [readingOf({ html: before, url }), readingOf({ html: after, url })];
  const { head } = await recordBetween(new Map([[url, old]]), new Map([[url, now]]));
  return head.counts.modified > 0;
}
