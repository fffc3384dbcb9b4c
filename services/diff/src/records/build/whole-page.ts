import { comparePages } from '../../comparison/compare-pages.ts';
import { NO_BLOCKS } from '../../comparison/no-blocks.ts';
import type { PageStates } from '../../domain/page-states.ts';
import { type BlockEntry, blockEntry } from '../entries/entry.ts';
import type { PageEvaluation } from './evaluate-page.ts';
import { sideOf } from './page-side.ts';
import type { RecordPorts } from './ports.ts';

/** Characters of an added or removed page in its entry. The comparison of the page has all of them. */
const MAX_CHARS = 10_000;
const DEADLINE_MS = 1_000;

/** The blocks of an added or removed page, for its entry. */
export interface WholePage {
  readonly blocks: readonly BlockEntry[];
  readonly truncated: boolean;
  readonly pageStates: PageStates;
}

/** Returns every block of an added page as added, or of a removed page as removed; undefined for other pages and lost content. */
export async function wholePageOf(
  { loadContent }: Pick<RecordPorts, 'loadContent'>,
  { classification: { outcome }, reading, known }: Pick<PageEvaluation, 'classification' | 'reading' | 'known'>,
): Promise<WholePage | undefined> {
  const source = outcome === 'added' ? reading : outcome === 'removed' ? known?.lastGood : undefined;
  const content = source && (await loadContent(source));
  if (source === undefined || content === undefined) return undefined;
  const sides = outcome === 'added' ? ([NO_BLOCKS, content.blocks] as const) : ([content.blocks, NO_BLOCKS] as const);
  const { blocks } = comparePages(...sides, { deadlineMs: DEADLINE_MS });
  const listed: BlockEntry[] = [];
  let chars = 0;
  for (const change of blocks) {
    chars += (change.after ?? change.before)?.text.length ?? 0;
    if (chars > MAX_CHARS && listed.length > 0) break;
    listed.push(blockEntry(change, change.isVolatile === true));
  }
  const side = sideOf(source, content);
  const pageStates = outcome === 'added' ? { after: side } : { before: side };
  return { blocks: listed, truncated: listed.length < blocks.length, pageStates };
}
