import { useNavigate, useSearch } from '@tanstack/react-router';
import { fillPath, type Playground } from '@tidemark/sdk';
import { VerdictBadge } from '../../parts/badge.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Details } from '../../parts/details.tsx';
import { engineName } from '../../parts/engine-name.ts';
import { Select } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { Empty } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { duration, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { type Capture, codeOf } from './code-of.ts';
import { Evidence } from './evidence.tsx';
import { LANGUAGES, type PlaygroundView, RESULT_TABS } from './playground-view.ts';
import { FROM } from './use-attempt.ts';

const { playground: texts } = words;
const MAX_LINKS = 1_000;

type Row = NonNullable<Playground['result']>;

/** The result of an attempt: outcome, bodies, evidence and code. */
export function ResultView({ job, row, capture }: { job: Playground; row: Row; capture: Capture }) {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const tab = view.tab ?? 'evidence';
  const show = (next: PlaygroundView) =>
    void navigate({ search: { ...view, ...next }, replace: true, resetScroll: false });
  return (
    <>
      <Details
        items={[
          [texts.verdict, <VerdictBadge key="verdict" verdict={row.verdict} />],
          [texts.status, row.httpStatus ?? '–'],
          [texts.words, number(row.words)],
          [texts.credits, number(job.creditsUsed)],
          [texts.tier, engineName(row.tier ?? row.method ?? '–')],
          [texts.took, duration(Object.values(row.timingsMs).reduce((sum, ms) => sum + ms, 0))],
        ]}
      />
      <Tabs
        label={texts.result}
        tabs={RESULT_TABS.map((key) => ({ key, text: texts.tabs[key] }))}
        current={tab}
        onChoose={(key) => show({ tab: key })}
      >
        <Panel>
          {tab === 'evidence' ? <Evidence result={row} evidence={job.evidence} /> : null}
          {tab === 'markdown' ? <Body label={texts.tabs.markdown} text={row.markdown} none={texts.noMarkdown} /> : null}
          {tab === 'html' ? (
            <Body label={texts.tabs.html} text={row.html ?? row.cleanHtml} none={texts.noHtml} />
          ) : null}
          {tab === 'links' ? <Links row={row} /> : null}
          {tab === 'fields' ? <Fields values={row.fields ?? {}} /> : null}
          {tab === 'removed' ? <Removed evidence={job.evidence} /> : null}
          {tab === 'screenshot' ? <Screenshot id={job.id} row={row} /> : null}
          {tab === 'code' ? <Code capture={capture} onLanguage={(code) => show({ code })} /> : null}
        </Panel>
      </Tabs>
    </>
  );
}

function Body({ label, text, none }: { label: string; text: string | null | undefined; none: string }) {
  if (text === null || text === undefined || text === '') return <Empty title={none} />;
  return (
    <>
      <div className="mb-3 flex justify-end">
        <CopyButton text={text} />
      </div>
      <CodeBlock label={label} text={text} wrap />
    </>
  );
}

function Links({ row: { links } }: { row: Row }) {
  if (!links?.length) return <Empty title={texts.noLinks} />;
  return (
    <PlainTable
      label={texts.tabs.links}
      titles={[texts.link.text, texts.link.target, texts.link.kind]}
      rows={links.slice(0, MAX_LINKS)}
      keyOf={({ url }, index) => `${index} ${url}`}
      cells={({ text, url, kind }) => [text, url, kind]}
    />
  );
}

function Fields({ values }: { values: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(values);
  if (entries.length === 0) return <Empty title={texts.noFields} hint={texts.noFieldsHint} />;
  return <CodeBlock label={texts.tabs.fields} text={JSON.stringify(values, null, 2)} wrap />;
}

function Removed({ evidence }: { evidence: Playground['evidence'] }) {
  const { removedPart: titles } = texts;
  if (!evidence?.removed.length) return <Empty title={texts.nothingRemoved} />;
  return (
    <PlainTable
      label={texts.tabs.removed}
      titles={[titles.reason, titles.text, titles.words]}
      rows={evidence.removed}
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
  );
}

function Screenshot({ id, row: { screenshot, url } }: { id: string; row: Row }) {
  if (screenshot === null) return <Empty title={texts.noScreenshot} hint={texts.noScreenshotHint} />;
  const source = fillPath('/v1/playground/{id}/screenshot', { id });
  return <img src={source} alt={texts.screenshotOf(url)} className="max-w-full rounded border border-line" />;
}

type Chosen = NonNullable<PlaygroundView['code']>;

function Code({ capture, onLanguage }: { capture: Capture; onLanguage: (language: Chosen) => void }) {
  const { code: language = 'curl' } = useSearch({ from: FROM });
  const text = codeOf(language, capture, `${location.origin}/v1`);
  return (
    <>
      <div className="mb-3 flex flex-wrap items-end justify-between gap-3">
        <div className="w-48">
          <Select
            label={texts.language}
            value={language}
            onValue={onLanguage}
            choices={LANGUAGES.map((value) => ({ value, text: texts.languages[value] }))}
          />
        </div>
        <CopyButton text={text} label={texts.copy} />
      </div>
      <CodeBlock label={texts.tabs.code} text={text} />
      <p className="mt-2 text-xs text-muted">{texts.codeHint}</p>
    </>
  );
}
