import type { PageVersion } from '@tidemark/sdk';
import { type ReactNode, useState } from 'react';
import { useList } from '../../api/lists.ts';
import { Button } from '../../parts/button.tsx';
import { LAYOUTS, type Layout } from '../../parts/diff/layouts.ts';
import { ComparedWords } from '../../parts/diff/word-diff.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Loaded } from '../../parts/states.tsx';
import { moment } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { versions: texts } = words.pages.page;
const { changes } = words;
const AT_ONCE = 20;

interface Props {
  readonly project: string;
  readonly url: string;
}

/** The versions of a page, newest first: intervals of equal text. Any two are chosen and compared below; at first the newest two. */
export function Versions({ project: id, url }: Props) {
  const versions = useList('GET /projects/{id}/pages/versions', { path: { id }, query: { url, limit: AT_ONCE } });
  return (
    <Panel title={texts.title}>
      <Loaded of={versions}>
        {({ pages }) => {
          const completeSince = pages[0]?.completeSince ?? null;
          return (
            <>
              <Compared project={id} url={url} versions={pages.flatMap(({ data }) => data)} />
              {versions.hasNextPage ? (
                <Button onClick={() => void versions.fetchNextPage()}>{words.states.more}</Button>
              ) : null}
              {completeSince === null ? null : (
                <p className="mt-3 text-sm text-muted">{texts.completeSince(moment(completeSince))}</p>
              )}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

/** The list, and the comparison of the two chosen versions. */
function Compared({ project, url, versions }: Props & { readonly versions: readonly PageVersion[] }) {
  const [chosen, setChosen] = useState<{ readonly later?: string; readonly earlier?: string }>({});
  const laterAt = Math.max(
    0,
    versions.findIndex(({ runId }) => runId === chosen.later),
  );
  const earlierAt = Math.max(
    laterAt + 1,
    versions.findIndex(({ runId }) => runId === chosen.earlier),
  );
  const [later, earlier] = [versions[laterAt], versions[earlierAt]];
  return (
    <>
      <table className="mb-4 w-full text-start text-sm">
        <thead>
          <tr className="text-xs text-muted">
            <Head>{texts.later}</Head>
            <Head>{texts.earlier}</Head>
            <Head>{texts.interval}</Head>
            <Head>{texts.difference}</Head>
          </tr>
        </thead>
        <tbody>
          {versions.map((version, at) => (
            <tr key={version.runId} className="border-t border-line align-top">
              <td className="w-14 py-2 pe-2">
                <Choice
                  name="later"
                  label={texts.asLater(moment(version.firstSeen))}
                  isChosen={at === laterAt}
                  isDisabled={at === versions.length - 1}
                  onChoose={() => setChosen({ ...chosen, later: version.runId })}
                />
              </td>
              <td className="w-14 py-2 pe-2">
                <Choice
                  name="earlier"
                  label={texts.asEarlier(moment(version.firstSeen))}
                  isChosen={at === earlierAt}
                  isDisabled={at <= laterAt}
                  onChoose={() => setChosen({ ...chosen, earlier: version.runId })}
                />
              </td>
              <td className="py-2 pe-3">
                <span className="block">{moment(version.firstSeen)}</span>
                <span className="block text-xs text-muted">{lastSeenOf(version)}</span>
              </td>
              <td className="py-2">
                <span className="block whitespace-nowrap tabular-nums">{differenceOf(version)}</span>
                {version.sameAs === null ? null : <span className="block text-xs text-muted">{texts.returned}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {later === undefined || earlier === undefined ? (
        <p className="text-sm text-muted">{texts.only}</p>
      ) : (
        <Comparison project={project} url={url} later={later} earlier={earlier} />
      )}
    </>
  );
}

const Head = ({ children }: { children: ReactNode }) => (
  <th scope="col" className="py-1 pe-2 text-start font-semibold">
    {children}
  </th>
);

const lastSeenOf = ({ readings, lastSeen }: PageVersion): string =>
  readings === 1 ? texts.once : texts.until(moment(lastSeen), words.counts.readings(readings));

const differenceOf = ({ wordsAdded, wordsRemoved, words: length }: PageVersion): string =>
  wordsAdded === null || wordsRemoved === null
    ? words.counts.words(length)
    : `+${wordsAdded} −${wordsRemoved} · ${words.counts.words(length)}`;

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly isChosen: boolean;
  readonly isDisabled: boolean;
  readonly onChoose: () => void;
}

const Choice = ({ name, label, isChosen, isDisabled, onChoose }: ChoiceProps) => (
  <label className="grid size-7 place-items-center">
    <span className="sr-only">{label}</span>
    <input
      type="radio"
      name={name}
      checked={isChosen}
      disabled={isDisabled}
      onChange={onChoose}
      className="size-4 accent-accent disabled:opacity-30"
    />
  </label>
);

interface ComparisonProps extends Props {
  readonly later: PageVersion;
  readonly earlier: PageVersion;
}

function Comparison({ project, url, later, earlier }: ComparisonProps) {
  const [layout, setLayout] = useState<Layout>('unified');
  const [isWhole, setWhole] = useState(false);
  return (
    <section aria-label={texts.comparison} className="rounded-md border border-line">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2">
        <h3 className="text-sm font-semibold">{texts.between(moment(earlier.firstSeen), moment(later.firstSeen))}</h3>
        <div className="flex flex-wrap gap-2">
          <Segments
            label={changes.extent}
            value={isWhole ? 'all' : 'changes'}
            choices={[
              { value: 'changes', text: changes.extents.changes },
              { value: 'all', text: changes.extents.all },
            ]}
            onValue={(value) => setWhole(value === 'all')}
          />
          <Segments
            label={changes.layout}
            value={layout}
            choices={LAYOUTS.map((value) => ({ value, text: changes.layouts[value] }))}
            onValue={setLayout}
          />
        </div>
      </div>
      <div className="p-4">
        <ComparedWords
          project={project}
          url={url}
          run={later.runId}
          from={earlier.runId}
          layout={layout}
          all={isWhole}
        />
      </div>
    </section>
  );
}
