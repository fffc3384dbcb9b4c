import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { fillPath, type Project } from '@tidemark/sdk';
import { type FormEvent, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { RunPicker } from '../../parts/run-picker.tsx';
import { Empty, Loaded, Problem } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import { Candidates, Counts } from './matches.tsx';
import { SaveForm } from './save-form.tsx';
import { type ConnectedFrame, useFrame } from './use-frame.ts';
import { useMatches } from './use-matches.ts';

const { picker: texts } = words;
const FROM = '/projects/$project/picker';

/** Makes a selector or a field by pointing at a stored page. */
export function PickerPage() {
  const { project: id } = useParams({ from: FROM });
  const project = useRead('GET /projects/{id}', { path: { id } });
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  return (
    <>
      <PageHead
        title={texts.title}
        actions={<RunPicker project={id} run={view.run} onRun={(run) => void navigate({ search: { ...view, run } })} />}
      />
      <Loaded of={project}>{(data) => <Picker project={data} />}</Loaded>
    </>
  );
}

function Picker({ project }: { project: Project }) {
  const { id, seed } = project;
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const [candidates, setCandidates] = useState<readonly string[]>([]);
  const url = view.url ?? seed;
  const selector = view.selector ?? '';
  const choose = (next: string) =>
    void navigate({ search: { ...view, selector: next === '' ? undefined : next }, replace: true, resetScroll: false });
  const pick = (selectors: readonly string[]) => {
    setCandidates(selectors);
    const [first] = selectors;
    if (first !== undefined) choose(first);
  };
  const { data, error } = useMatches(id, [...new Set([selector, ...candidates])]);
  const { frame, state, at, count } = useFrame(selector, pick);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(18rem,2fr)]">
      <div className="min-w-0">
        <PageForm key={url} url={url} />
        <StoredFrame key={`${url} ${view.run}`} id={id} url={url} run={view.run} frame={frame} state={state} />
        <p role="status" dir="auto" className="anywhere mt-1 min-h-10 text-xs text-muted">
          {at === '' ? texts.help : at}
        </p>
      </div>
      <Panel>
        <div className="grid gap-4">
          <TextField
            label={texts.selector}
            hint={texts.selectorHint}
            dir="ltr"
            spellCheck={false}
            autoCapitalize="none"
            value={selector}
            onChange={(event) => choose(event.target.value)}
            className="font-mono text-xs"
          />
          <Candidates candidates={candidates} chosen={selector} matches={data} choose={choose} />
          <Counts selector={selector} here={count} matches={data} error={error} />
          <SaveForm project={project} selector={selector} />
        </div>
      </Panel>
    </div>
  );
}

function PageForm({ url }: { url: string }) {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const [text, setText] = useState(url);
  const show = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ search: { ...view, url: text } });
  };
  return (
    <form onSubmit={show} noValidate className="mb-3 flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <TextField
          label={texts.page}
          type="url"
          dir="ltr"
          spellCheck={false}
          autoCapitalize="none"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <Button type="submit">{texts.show}</Button>
    </form>
  );
}

interface FrameProps {
  readonly id: string;
  readonly url: string;
  readonly run: string | undefined;
  readonly frame: ConnectedFrame['frame'];
  readonly state: ConnectedFrame['state'];
}

/** The stored page in a frame of an opaque origin. The read before it shows the error of a page that is missing. */
function StoredFrame({ id, url, run, frame, state }: FrameProps) {
  const query = { url, ...(run === undefined ? {} : { run_id: run }) };
  const page = useRead('GET /projects/{id}/pages/content', { path: { id }, query: { ...query, format: 'links' } });
  if (page.error !== null && page.data === undefined)
    return (
      <Panel>
        <Problem error={page.error} retry={() => void page.refetch()} />
      </Panel>
    );
  return (
    <div className="relative">
      <iframe
        ref={frame}
        title={texts.frame}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        src={`${fillPath('/stored/{id}', { id })}?${new URLSearchParams(query)}`}
        className={`block h-[65vh] w-full rounded-lg border border-edge ${state === 'empty' ? 'invisible' : ''}`}
        // Pages without colours of their own expect a white ground.
        style={{ background: '#ffffff', colorScheme: 'light' }}
      />
      {state === 'empty' ? (
        <div className="absolute inset-0 rounded-lg border border-line bg-surface">
          <Empty title={texts.empty} hint={texts.emptyHint}>
            <Link
              to="/projects/$project/settings"
              params={{ project: id }}
              search={{ section: 'output' }}
              className={buttonClass()}
            >
              {texts.settings}
            </Link>
          </Empty>
        </div>
      ) : null}
    </div>
  );
}
