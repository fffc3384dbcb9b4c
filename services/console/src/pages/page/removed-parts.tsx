import type { StoredPage } from '@tidemark/sdk';
import { useRead } from '../../api/queries.ts';
import { PlainTable } from '../../parts/plain-table.tsx';
import { Loaded } from '../../parts/states.tsx';
import { number, share } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { page: texts } = words.pages;
const { removed: titles } = texts;

/** What the content filters took out of a page under the current settings. */
export function RemovedParts({ project: id, page: { url, runId } }: { project: string; page: StoredPage }) {
  const parts = useRead('GET /projects/{id}/pages/removed', { path: { id }, query: { url, run_id: runId } });
  return (
    <Loaded of={parts}>
      {({ removed, keptShare, words: kept }) => (
        <>
          <p className="px-4 pt-4 pb-2 text-muted">{texts.kept(share(keptShare), words.counts.words(kept))}</p>
          {removed.length === 0 ? (
            <p className="px-4 pb-4">{texts.removedNone}</p>
          ) : (
            <PlainTable
              label={texts.tabs.removed}
              titles={[titles.reason, titles.text, titles.words]}
              rows={removed}
              keyOf={({ selector }, index) => `${index} ${selector}`}
              cells={({ reason, text, selector, words: length }) => [
                reason,
                <>
                  <span dir="auto">{text}</span>
                  <code className="block text-xs text-muted">{selector}</code>
                </>,
                number(length),
              ]}
            />
          )}
        </>
      )}
    </Loaded>
  );
}
