import type { SourcesPreview } from '@tidemark/sdk';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { checked: texts } = words.sources;

/** Feeds as the server read them now, and entries of the list that can not be visited. */
export function CheckedSources({ preview: { feeds, list } }: { preview: SourcesPreview }) {
  return (
    <div role="status" className="mb-4 rounded-md border border-line p-3">
      <h3 className="mb-2 font-semibold">{texts.title}</h3>
      <ul className="grid gap-1">
        {feeds.map(({ url, entries, inScope, error }) => (
          <li key={url} className="anywhere">
            <span dir="ltr">{url}</span>: {error ?? texts.feed(words.counts.entries(entries), number(inScope))}
          </li>
        ))}
        <li>{texts.list(number(list.usable), words.counts.urls(list.urls))}</li>
        {list.problems.map(({ url, problem }) => (
          <li key={`${url} ${problem}`} className="anywhere text-bad">
            {texts.problem(url, problem)}
          </li>
        ))}
      </ul>
    </div>
  );
}
