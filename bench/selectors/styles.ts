import {
  SELECTOR_STYLES,
  type SelectorStyle,
  STYLE_TRUST,
  styleOf,
} from '../../services/diff/src/selectors/selector-style.ts';
import { readCases } from '../shared/corpora.ts';
import { printTable } from '../shared/table.ts';

/** One repair of the catalogue: what people selected by before, and what they went over to. */
interface StyleChange {
  readonly before: SelectorStyle;
  readonly after: SelectorStyle;
}

/** Returns the weakest of combined selectors; undefined for ranges of a page, which have no selector. */
function styleOfAll(selectors: unknown): SelectorStyle | undefined {
  const list: unknown[] = Array.isArray(selectors) ? selectors : [selectors];
  const styles = list.filter((item) => typeof item === 'string').map(styleOf);
  if (styles.length < list.length || styles.length === 0) return undefined;
  return styles.toSorted((a, b) => SELECTOR_STYLES.indexOf(b) - SELECTOR_STYLES.indexOf(a))[0];
}

/** Prints the selector styles people chose for repairs, next to our order of preference. */
export function printStyles(): void {
  const entries = readCases('changes/selector-repairs/catalogue-contrib-352.json');
  const changes: StyleChange[] = entries.flatMap((entry) => {
    const [before, after] = [styleOfAll(entry['old']), styleOfAll(entry['new'])];
    const isChange = JSON.stringify([entry['old']].flat()) !== JSON.stringify([entry['new']].flat());
    return before === undefined || after === undefined || !isChange ? [] : [{ before, after }];
  });
  const count = (side: keyof StyleChange, style: SelectorStyle): number =>
    changes.filter((change) => change[side] === style).length;
  const share = (part: number, all: number): string => `${((100 * part) / (all || 1)).toFixed(1)} %`;
  printTable(
    ['style', 'our trust', 'people had', 'people chose', 'share'],
    SELECTOR_STYLES.map((style) => [
      style,
      STYLE_TRUST[style].toFixed(2),
      `${count('before', style)}`,
      `${count('after', style)}`,
      share(count('after', style), changes.length),
    ]),
  );
  const chosen = changes.filter(({ after }) => !['structure', 'generated'].includes(after)).length;
  const fromMade = changes.filter(({ before }) => before === 'generated');
  const fromMadeToOther = fromMade.filter(({ after }) => after !== 'generated').length;
  console.log(`\n${changes.length} of ${entries.length} repairs are from selector to selector`);
  console.log(`people chose a style that Tidemark prefers to places: ${share(chosen, changes.length)}`);
  console.log(`repairs of generated names that became other names: ${fromMadeToOther} of ${fromMade.length}`);
}
