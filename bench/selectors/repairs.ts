import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findElements } from '@tidemark/page-reader/source';
import { parseMarkup, textOf } from '../../services/diff/src/markup/markup-tree.ts';
import { outermost } from '../../services/diff/src/selectors/selection-cache.ts';
import { diceOf, type Fingerprint, fingerprintOf, wordsIn } from '../../services/diff/src/selectors/shingles.ts';
import { suggestSelector } from '../../services/diff/src/selectors/suggest-selector.ts';
import { type Case, CORPORA, readCases, textIn } from '../shared/corpora.ts';

const FOLDER = 'changes/selector-repairs';

/** A selector that broke between two readings of a page, and a person's replacement. */
export interface Repair {
  readonly page: string;
  readonly broken: string;
  readonly human: string;
  readonly before: string;
  readonly after: string;
}

export interface RepairFigures extends Pick<Repair, 'page' | 'broken' | 'human'> {
  /** Empty: none was suggested. */
  readonly tidemark: string;
  readonly confidence: number;
  /** Similarity of what our selector and the person's selector find, 0 to 1. */
  readonly dice: number;
  readonly ms: number;
}

export const hasRepairs = (): boolean => existsSync(join(CORPORA, FOLDER, 'html.tar.xz'));

export function readRepairs(): Repair[] {
  const folder = mkdtempSync(join(tmpdir(), 'selector-repairs-'));
  try {
    execFileSync('tar', ['-xJf', join(CORPORA, FOLDER, 'html.tar.xz'), '-C', folder]);
    const html = (entry: Case, side: string): string => {
      const reading = entry[side];
      const file = typeof reading === 'object' && reading !== null && 'file' in reading ? `${reading.file}` : '';
      return readFileSync(join(folder, file), 'utf8');
    };
    return readCases(`${FOLDER}/repairs.json`).map((entry) => ({
      page: `${textIn(entry, 'svc')}, ${textIn(entry, 'term')}`,
      broken: textIn(entry, 'old'),
      human: textIn(entry, 'new'),
      before: html(entry, 'before'),
      after: html(entry, 'after'),
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function repairFigures({ page, broken, human, before, after }: Repair): RepairFigures {
  const startedMs = performance.now();
  const suggestion = suggestSelector([before], [after], broken);
  const ms = performance.now() - startedMs;
  const tidemark = suggestion?.selector ?? '';
  const dice = tidemark === '' ? 0 : diceOf(placeOf(after, tidemark), placeOf(after, human));
  return { page, broken, human, tidemark, confidence: suggestion?.confidence ?? 0, dice, ms };
}

/** Returns what a selector finds on a page, as shingles of five words. */
function placeOf(html: string, selector: string): Fingerprint {
  const text = outermost(findElements(parseMarkup(html), selector)).map((element) => textOf(element));
  const words = wordsIn(text.join(' '));
  return fingerprintOf(words, [{ from: 0, to: words.length }], 5);
}
