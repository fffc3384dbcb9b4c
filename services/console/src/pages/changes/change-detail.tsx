import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Change } from '@tidemark/sdk';
import { Check, FileText, Undo2 } from 'lucide-react';
import { useCan } from '../../api/session.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { pathOf } from '../../parts/site-name.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { count } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { VIEWS } from './changes-view.ts';
import { MarkupDiff } from './markup-diff.tsx';
import { ScreenshotDiff } from './screenshot-diff.tsx';
import type { OpenChange } from './since-review.ts';
import { FROM } from './use-changes.ts';
import { ComparedWords, WordDiff } from './word-diff.tsx';

const { changes: texts } = words;

interface Props {
  readonly change: Change;
  /** Earlier entries of the same page that are open too; the page is then compared with the run before them. */
  readonly open?: OpenChange | undefined;
  readonly review: (change: Change) => void;
}

/** One change: words, markup or screenshots, and its review mark. */
export function ChangeDetail({ change, open, review }: Props) {
  const { project } = useParams({ from: FROM });
  const search = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const view = search.view ?? 'words';
  const { url, runId, section } = change;
  const isCompared = open !== undefined && open.earlier.length > 0 && open.from !== undefined;
  const readings = { project, url, run: runId, from: isCompared ? open.from : undefined };
  return (
    <Panel>
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 dir="auto" className="anywhere text-base font-semibold">
            {section === '' ? pathOf(url) : section}
          </h2>
          <a dir="ltr" href={url} target="_blank" rel="noreferrer" className="anywhere text-accent underline">
            {url}
          </a>
        </div>
        <Actions change={change} review={review} />
      </div>
      <Remarks change={change} />
      {isCompared ? (
        <p className="mb-2 text-muted">{texts.runs(count(open.earlier.length + 1, 'run', 'runs'))}</p>
      ) : null}
      <Tabs
        label={texts.view}
        tabs={VIEWS.map((key) => ({ key, text: texts.views[key] }))}
        current={view}
        onChoose={(key) => void navigate({ search: { ...search, view: key }, replace: true })}
      >
        {view === 'words' && isCompared ? <ComparedWords {...readings} /> : null}
        {view === 'words' && !isCompared ? <WordDiff change={change} /> : null}
        {view === 'markup' ? <MarkupDiff {...readings} /> : null}
        {view === 'screenshots' ? <ScreenshotDiff {...readings} /> : null}
      </Tabs>
    </Panel>
  );
}

function Actions({ change, review }: Omit<Props, 'open'>) {
  const { project } = useParams({ from: FROM });
  const canWrite = useCan('write');
  const Icon = change.reviewed ? Undo2 : Check;
  return (
    <div className="flex flex-wrap gap-2">
      <Link
        to="/projects/$project/page"
        params={{ project }}
        search={{ url: change.url, run: change.runId }}
        className={buttonClass()}
        aria-keyshortcuts="o"
      >
        <FileText aria-hidden size={16} />
        {texts.open}
      </Link>
      {canWrite ? (
        <Button onClick={() => review(change)} aria-keyshortcuts="e">
          <Icon aria-hidden size={16} />
          {change.reviewed ? texts.unreview : texts.review}
        </Button>
      ) : null}
    </div>
  );
}

function Remarks({ change: { explanation, movedFrom, returned, template } }: { change: Change }) {
  const remarks = [
    explanation,
    movedFrom === null ? null : texts.movedFrom(movedFrom),
    returned ? texts.returned : null,
    template === null ? null : texts.onPages(count(template.pages, 'page', 'pages')),
  ].filter((one) => one !== null);
  return remarks.map((text) => (
    <p key={text} className="anywhere mb-2 text-muted">
      {text}
    </p>
  ));
}
