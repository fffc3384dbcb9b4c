import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Change } from '@tidemark/sdk';
import { ArrowLeft, Check, ExternalLink, FileText, Undo2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useCan } from '../../api/session.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { LAYOUTS } from '../../parts/diff/layouts.ts';
import type { Readings } from '../../parts/diff/readings.ts';
import { ComparedWords, WordDiff } from '../../parts/diff/word-diff.tsx';
import { Segments } from '../../parts/segments.tsx';
import { shortUrl } from '../../parts/site-name.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { words } from '../../words/words.ts';
import { KIND_COLOURS, titleOf } from './change-row.tsx';
import { VIEWS } from './changes-view.ts';
import { MarkupDiff } from './markup-diff.tsx';
import { PageFrame } from './page-frame.tsx';
import { ScreenshotDiff } from './screenshot-diff.tsx';
import type { OpenChange } from './since-review.ts';
import { FROM } from './use-changes.ts';

const { changes: texts } = words;

interface Props {
  readonly change: Change;
  /** What the titles of the list end in. */
  readonly siteName: string;
  /** Earlier entries of the same page that are open too; the page is then compared with the run before them. */
  readonly open?: OpenChange | undefined;
  readonly review: (change: Change) => void;
  /** Set where the change lies over the list: returns to it. */
  readonly close?: (() => void) | undefined;
}

/** One change: its words, the page with the differences in place, markup or screenshots, and its review mark. */
export function ChangeDetail({ change, siteName, open, review, close }: Props) {
  const { project } = useParams({ from: FROM });
  const search = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const view = search.view ?? 'words';
  const { url, runId } = change;
  const isCompared = open !== undefined && open.earlier.length > 0 && open.from !== undefined;
  const readings = { project, url, run: runId, from: isCompared ? open.from : undefined };
  return (
    <section
      aria-label={texts.pane}
      className="flex min-h-0 min-w-0 flex-col bg-surface max-lg:fixed max-lg:inset-0 max-lg:z-30"
    >
      <Head change={change} siteName={siteName} review={review} close={close}>
        {isCompared ? texts.runs(words.counts.runs(open.earlier.length + 1)) : undefined}
      </Head>
      <Tabs
        label={texts.view}
        tabs={VIEWS.map((key) => ({ key, text: texts.views[key] }))}
        current={view}
        onChoose={(key) => void navigate({ search: { ...search, view: key }, replace: true })}
        actions={view === 'words' ? <TextOptions /> : undefined}
        isWhole
      >
        {view === 'page' ? (
          <PageFrame {...readings} />
        ) : (
          <div className="p-5">
            {view === 'words' ? <Texts change={change} readings={readings} /> : null}
            {view === 'markup' ? <MarkupDiff {...readings} /> : null}
            {view === 'screenshots' ? <ScreenshotDiff {...readings} /> : null}
          </div>
        )}
      </Tabs>
    </section>
  );
}

interface TextsProps {
  readonly change: Change;
  readonly readings: Readings;
}

/** The words of the change; where several runs or the whole page are shown, a comparison of both texts. */
function Texts({ change, readings }: TextsProps) {
  const { all = false, layout = 'unified' } = useSearch({ from: FROM });
  if (all || readings.from !== undefined) return <ComparedWords {...readings} layout={layout} all={all} />;
  return <WordDiff change={change} layout={layout} isWhole={change.kind === 'added' || change.kind === 'removed'} />;
}

/** How the texts are compared: in one column or two, only the changes or the whole page. */
function TextOptions() {
  const search = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const show = (next: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...next }, replace: true, resetScroll: false });
  return (
    <div className="flex flex-wrap gap-2 py-1.5 pe-2">
      <Segments
        label={texts.extent}
        value={search.all === true ? 'all' : 'changes'}
        choices={[
          { value: 'changes', text: texts.extents.changes },
          { value: 'all', text: texts.extents.all },
        ]}
        onValue={(value) => show({ all: value === 'all' ? true : undefined })}
      />
      <Segments
        label={texts.layout}
        value={search.layout ?? 'unified'}
        choices={LAYOUTS.map((value) => ({ value, text: texts.layouts[value] }))}
        onValue={(value) => show({ layout: value === 'unified' ? undefined : value })}
      />
    </div>
  );
}

interface HeadProps extends Omit<Props, 'open'> {
  /** A remark on the comparison. */
  readonly children: string | undefined;
}

function Head({ change, siteName, review, close, children }: HeadProps) {
  const { url, kind } = change;
  const back = useRef<HTMLButtonElement>(null);
  const isOver = close !== undefined;
  useEffect(() => {
    if (isOver) back.current?.focus();
  }, [isOver]);
  const remarks = [...remarksOf(change), ...(children === undefined ? [] : [children])];
  return (
    <header className="shrink-0 px-5 pt-3 pb-2">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-1 basis-64 items-start gap-2">
          {close === undefined ? null : (
            <button
              ref={back}
              type="button"
              aria-label={texts.back}
              onClick={close}
              className="-ms-2 grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-hover"
            >
              <ArrowLeft aria-hidden size={18} />
            </button>
          )}
          <div className="min-w-0">
            <h2 dir="auto" className="truncate text-lg font-semibold" title={titleOf(change)}>
              {titleOf(change, siteName)}
            </h2>
            <p className="flex min-w-0 items-center gap-2 text-xs">
              <span className={KIND_COLOURS[kind] ?? 'text-muted'}>{texts.kinds[kind]}</span>
              <a
                dir="ltr"
                href={url}
                target="_blank"
                rel="noreferrer"
                className="inline-flex min-w-0 items-center gap-1 text-muted hover:text-ink hover:underline"
              >
                <span className="truncate">{shortUrl(url)}</span>
                <ExternalLink aria-hidden size={12} className="shrink-0" />
              </a>
            </p>
          </div>
        </div>
        <Actions change={change} review={review} />
      </div>
      {remarks.map((text) => (
        <p key={text} className="anywhere mt-1 text-sm text-muted">
          {text}
        </p>
      ))}
    </header>
  );
}

function Actions({ change, review }: Pick<Props, 'change' | 'review'>) {
  const { project } = useParams({ from: FROM });
  const canWrite = useCan('write');
  const Icon = change.reviewed ? Undo2 : Check;
  return (
    <div className="flex shrink-0 flex-wrap gap-2">
      <Link
        to="/projects/$project/page"
        params={{ project }}
        search={{ url: change.url, run: change.runId }}
        className={buttonClass('quiet')}
        aria-keyshortcuts="o"
      >
        <FileText aria-hidden size={16} />
        {texts.open}
      </Link>
      {canWrite ? (
        <Button onClick={() => review(change)} aria-keyshortcuts="e" kind={change.reviewed ? 'plain' : 'primary'}>
          <Icon aria-hidden size={16} />
          {change.reviewed ? texts.unreview : texts.review}
        </Button>
      ) : null}
    </div>
  );
}

const remarksOf = ({ alerts, explanation, movedFrom, returned, template, kind }: Change): string[] =>
  [
    alerts.length === 0 ? null : texts.alerts(alerts.map(({ name }) => name).join(', ')),
    explanation,
    movedFrom === null ? null : texts.movedFrom(movedFrom),
    returned ? texts.returned : null,
    template === null || kind === 'template' ? null : texts.onPages(words.counts.pages(template.pages)),
  ].filter((one) => one !== null);
