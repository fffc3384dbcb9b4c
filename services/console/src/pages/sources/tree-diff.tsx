import { Link, useParams } from '@tanstack/react-router';
import type { DiscoveryChange } from '@tidemark/sdk';
import { Panel } from '../../parts/panel.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { ENTRY_SETS } from './sources-view.ts';

const { tree: texts } = words.sources;
const COLOURS = { added: 'text-good', removed: 'text-bad', updated: 'text-warn' } as const;

/** What changed in the tree since the previous snapshot; each figure opens its URLs. */
export function TreeDiff({ diff }: { diff: DiscoveryChange | null }) {
  const { project } = useParams({ from: '/projects/$project/sources' });
  if (diff === null) return <p className="mb-4 text-muted">{texts.noDiff}</p>;
  const files = [
    [texts.filesAdded, diff.filesAdded],
    [texts.filesRemoved, diff.filesRemoved],
    [texts.filesChanged, diff.filesChanged],
  ] as const;
  return (
    <Panel title={texts.diff} className="mb-4">
      {diff.withheld === null ? (
        <ul className="flex flex-wrap gap-x-8 gap-y-3">
          {ENTRY_SETS.map((set) => (
            <li key={set}>
              <Link
                to="/projects/$project/sources"
                params={{ project }}
                search={{ tab: 'tree', set }}
                className="block hover:underline"
              >
                <span className={`block text-xl font-semibold tabular-nums ${COLOURS[set]}`}>
                  {number(diff.counts[set])}
                </span>
                <span className="text-xs text-muted">{texts.sets[set]}</span>
              </Link>
            </li>
          ))}
        </ul>
      ) : (
        <p className="anywhere">{diff.withheld}</p>
      )}
      {files.map(([title, urls]) =>
        urls.length === 0 ? null : (
          <details key={title} className="mt-3">
            <summary className="w-fit">
              {title}: {number(urls.length)}
            </summary>
            <ul dir="ltr" className="mt-1 max-h-60 overflow-y-auto text-xs text-muted">
              {urls.map((url) => (
                <li key={url} className="anywhere">
                  {url}
                </li>
              ))}
            </ul>
          </details>
        ),
      )}
    </Panel>
  );
}
