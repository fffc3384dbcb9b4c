import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type Project, TidemarkError } from '@tidemark/sdk';
import { type FormEvent, useEffect, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { keepDraft, keptDraft } from '../../parts/settings/kept-draft.ts';
import { useEngines } from '../../parts/settings/run-price.tsx';
import { Allowed, Loaded, Loading, sentenceOf } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import { ByHand, ListChoice } from './by-hand.tsx';
import { LiveView } from './live-view.tsx';
import { PickedElement } from './picked-element.tsx';
import { type RecorderState, stepsIn } from './recorder-state.ts';
import { MODES } from './recorder-view.ts';
import { StepList } from './steps.tsx';
import { type Recorder, useRecorder } from './use-recorder.ts';

const { recorder: texts } = words;
const FROM = '/projects/$project/recorder';
const MINUTE_MS = 60_000;

/** Records steps on a live view of a page, and picks selectors on pages that need scripts. */
export function RecorderPage() {
  const { project: id } = useParams({ from: FROM });
  const project = useRead('GET /projects/{id}', { path: { id } });
  return (
    <>
      <PageHead title={texts.title} />
      <Allowed scope="write">
        <Loaded of={project}>{(data) => <Recording key={id} project={data} />}</Loaded>
      </Allowed>
    </>
  );
}

function Recording({ project }: { project: Project }) {
  const navigate = useNavigate({ from: FROM });
  const recorder = useRecorder(project);
  const { state, ended, isStarting, steps } = recorder;
  const isOpen = state !== undefined && ended === undefined;
  const use = () => {
    keepDraft(project.id, { ...keptDraft(project.id), actions: steps });
    void recorder.close();
    void navigate({ to: '/projects/$project/settings', params: { project: project.id }, search: { section: 'fetch' } });
  };
  const saved = stepsIn(JSON.stringify(project.config['actions'] ?? [])) ?? [];
  if (state === undefined) return isStarting ? <Loading /> : <Start project={project} recorder={recorder} />;
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(22rem,2fr)]">
      <div className="min-w-0">
        {isOpen ? <Live recorder={recorder} state={state} /> : <Start project={project} recorder={recorder} />}
      </div>
      <div className="grid min-w-0 gap-4">
        {recorder.picked === undefined ? null : <PickedElement project={project.id} picked={recorder.picked} />}
        <StepList
          steps={steps}
          saved={saved}
          played={recorder.played}
          isOpen={isOpen}
          isBusy={recorder.isBusy}
          edit={recorder.edit}
          play={recorder.play}
          use={use}
        />
      </div>
    </div>
  );
}

/** Opens the page: which one, and what it costs. */
function Start({ project, recorder }: { project: Project; recorder: Recorder }) {
  const view = useSearch({ from: FROM });
  const { ended, isStarting, problem, start, state } = recorder;
  const [url, setUrl] = useState(state?.startUrl ?? view.url ?? project.seed);
  const { use_proxy, country } = project.config;
  const needsExit = use_proxy === 'always' || (typeof country === 'string' && country !== '');
  const price = useEngines()?.ladder.find(({ tier, exit }) => tier === 'browser' && exit === needsExit)?.credits;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void start(url);
  };
  return (
    <Panel className="max-w-3xl" {...(ended === undefined ? {} : { title: texts.ended })}>
      <form onSubmit={submit} noValidate className="grid max-w-2xl gap-3">
        <p role={ended === undefined ? undefined : 'status'} className="text-muted">
          {ended === undefined ? texts.intro : texts.reasons[ended]}
        </p>
        <TextField
          label={texts.page}
          type="url"
          dir="ltr"
          spellCheck={false}
          autoCapitalize="none"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
          error={problem === undefined ? undefined : problemText(problem)}
        />
        {price === undefined ? null : <p className="text-xs text-muted">{texts.price(words.counts.credits(price))}</p>}
        <div className="flex items-center gap-3">
          <Button type="submit" kind="primary" disabled={isStarting || url.trim() === ''}>
            {ended === undefined ? texts.start : texts.again}
          </Button>
          <p role="status" className="text-muted">
            {isStarting ? texts.starting : ''}
          </p>
        </div>
      </form>
    </Panel>
  );
}

const problemText = (problem: Error): string =>
  problem instanceof TidemarkError && problem.status === 409 && problem.message.includes('open recorder')
    ? texts.elsewhere
    : sentenceOf(problem);

function Live({ recorder, state }: { recorder: Recorder; state: RecorderState }) {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const { frame, isBusy, list, pick, remark, send, url } = recorder;
  const mode = view.mode ?? 'record';
  return (
    <>
      <div className="mb-3 flex flex-wrap items-end gap-x-4 gap-y-2">
        <Select
          label={texts.mode}
          value={mode}
          onValue={(next) =>
            void navigate({
              search: { ...view, mode: next === 'record' ? undefined : next },
              replace: true,
              resetScroll: false,
            })
          }
          choices={MODES.map((value) => ({ value, text: texts.modes[value] }))}
        />
        <p dir="ltr" className="anywhere min-w-0 flex-1 pb-1.5 text-xs text-muted">
          {url}
        </p>
        <Remaining until={state.expiresAt} />
        <Button onClick={() => void recorder.close()}>{texts.close}</Button>
      </div>
      <LiveView src={frame} viewport={state.viewport} mode={mode} send={send} pick={pick} />
      <p
        role="status"
        className={`anywhere mt-2 min-h-10 text-xs ${remark?.isBad === true ? 'text-bad' : 'text-muted'}`}
      >
        {isBusy ? texts.busy : (remark?.text ?? texts.viewHelp)}
      </p>
      {list === null ? null : <ListChoice key={list.selector} list={list} send={send} />}
      <ByHand send={send} />
    </>
  );
}

/** Minutes that are left, rounded up. */
function Remaining({ until }: { until: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 5_000);
    return () => clearInterval(timer);
  }, []);
  const minutes = Math.max(0, Math.ceil((Date.parse(until) - now) / MINUTE_MS));
  return <p className="pb-1.5 text-xs text-muted">{texts.ends(words.counts.minutes(minutes))}</p>;
}
