import type { Sources } from '@tidemark/sdk';
import { Panel } from '../../parts/panel.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { Empty } from '../../parts/states.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { sources: texts } = words;
const VIA: Readonly<Record<string, string>> = texts.via;
const OUTCOMES: Readonly<Record<string, string>> = texts.outcomes;
const FEED_OUTCOMES: Readonly<Record<string, string>> = texts.feedOutcomes;

/** What each source found in the last full run. */
export function Found({ sources: { runId, found, sitemap, feeds } }: { sources: Sources }) {
  if (runId === null)
    return (
      <Panel>
        <Empty title={texts.noRun} hint={texts.noRunHint} />
      </Panel>
    );
  const outcome = sitemap.used ? (OUTCOMES[sitemap.outcome ?? 'none'] ?? sitemap.outcome) : texts.outcomes.unused;
  return (
    <div className={`grid items-start gap-4 ${feeds.length === 0 ? '' : 'lg:grid-cols-2'}`}>
      <Panel title={texts.found} flush>
        <PlainTable
          label={texts.found}
          titles={[texts.columns.source, texts.columns.urls, texts.columns.pages]}
          rows={found}
          keyOf={({ foundVia }) => foundVia}
          cells={({ foundVia, urls, pages }) => [VIA[foundVia] ?? foundVia, number(urls), number(pages)]}
        />
        <p className="border-t border-line px-4 py-2 text-xs text-muted">
          {texts.sitemapOutcome}: {outcome}
        </p>
      </Panel>
      {feeds.length === 0 ? null : (
        <Panel title={texts.feeds} flush>
          <PlainTable
            label={texts.feeds}
            titles={[texts.feedColumns.url, texts.feedColumns.outcome, texts.feedColumns.entries]}
            rows={feeds}
            keyOf={({ url }) => url}
            cells={({ url, outcome: result, urls, error }) => [
              <span key="url" dir="ltr">
                {url}
              </span>,
              <span key="result">
                {FEED_OUTCOMES[result ?? 'unread'] ?? result}
                {error === null ? null : <span className="block text-xs text-muted">{error}</span>}
              </span>,
              number(urls),
            ]}
          />
        </Panel>
      )}
    </div>
  );
}
