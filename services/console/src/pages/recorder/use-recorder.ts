import { type Project, TidemarkError } from '@tidemark/sdk';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { useEventStream } from '../../api/event-stream.ts';
import { act } from '../../parts/act.ts';
import { sentenceOf } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import {
  type EndReason,
  frameIn,
  type Picked,
  type Played,
  type RecorderInput,
  type RecorderState,
  type RecorderStep,
  reasonIn,
  type Steps,
  stepsIn,
} from './recorder-state.ts';

const { recorder: texts } = words;
const EVENTS = ['frame', 'ended', 'closed'] as const;
/** Time without an edit of the steps after which they are stored, ms. */
const STORE_MS = 500;

/** What the page says about the last input. */
export interface Remark {
  readonly text: string;
  readonly isBad: boolean;
}

/** A recorder of the page, and what can be done with it. */
export interface Recorder {
  readonly state: RecorderState | undefined;
  readonly ended: EndReason | undefined;
  readonly isStarting: boolean;
  /** Why the page could not be opened. */
  readonly problem: Error | undefined;
  readonly frame: string | undefined;
  readonly url: string | undefined;
  readonly isBusy: boolean;
  readonly remark: Remark | undefined;
  readonly list: RecorderStep['list'];
  readonly picked: Picked | undefined;
  readonly played: Played | undefined;
  /** The steps as JSON, as the editor of the settings has them. */
  readonly steps: string;
  readonly start: (url: string) => Promise<void>;
  readonly close: () => Promise<void>;
  readonly send: (input: RecorderInput) => void;
  readonly pick: (point: { readonly x: number; readonly y: number }) => void;
  readonly edit: (steps: string) => void;
  readonly play: (steps?: Steps) => void;
}

const toText = (steps: readonly unknown[]): string => (steps.length === 0 ? '' : JSON.stringify(steps, null, 2));

const toRemark = ({ unrecorded, note }: RecorderStep): Remark =>
  unrecorded === null
    ? { text: [texts.recorded, note].join(' ').trim(), isBad: false }
    : {
        text: [texts.unrecorded[unrecorded], note].filter((part) => part !== '').join(' '),
        isBad: unrecorded === 'failed' || unrecorded === 'no_target',
      };

/** Opens, shows and operates the recorder of the signed-in person for a project. One that is open already is shown. */
export function useRecorder({ id }: Project): Recorder {
  const [state, setState] = useState<RecorderState>();
  const [ended, setEnded] = useState<EndReason>();
  const [isStarting, setStarting] = useState(true);
  const [problem, setProblem] = useState<Error>();
  const [frame, setFrame] = useState<{ readonly src: string; readonly url: string }>();
  const [pending, setPending] = useState(0);
  const [remark, setRemark] = useState<Remark>();
  const [list, setList] = useState<RecorderStep['list']>(null);
  const [picked, setPicked] = useState<Picked>();
  const [played, setPlayed] = useState<Played>();
  const [steps, setSteps] = useState('');
  /** Inputs are sent one after the other, edits of the steps before the next input. */
  const queue = useRef(Promise.resolve());
  const unstored = useRef<string>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const show = (opened: RecorderState) => {
    setState(opened);
    setEnded(undefined);
    setFrame(undefined);
    setRemark(undefined);
    setList(null);
    setPicked(undefined);
    setPlayed(undefined);
  };
  const end = (reason: EndReason) => setEnded((was) => was ?? reason);

  useEffect(() => {
    const gone = new AbortController();
    client
      .send('GET /projects/{id}/recorder', { path: { id }, signal: gone.signal })
      .then(({ recorder }) => {
        if (recorder !== null) {
          setState(recorder);
          setSteps(toText(recorder.actions));
        }
        setStarting(false);
      })
      .catch((error: unknown) => {
        if (gone.signal.aborted) return;
        setProblem(error instanceof Error ? error : new Error(String(error)));
        setStarting(false);
      });
    return () => {
      gone.abort();
      clearTimeout(timer.current);
    };
  }, [id]);

  const isOpen = state !== undefined && ended === undefined;
  const path = isOpen ? `/v1/projects/${id}/recorder/${state.id}/frames` : undefined;
  useEventStream(path, {
    events: EVENTS,
    onEvent: (name, data) => {
      if (name === 'ended') return end(reasonIn(data));
      if (name === 'closed') return end('closed');
      const next = frameIn(data);
      if (next !== undefined) setFrame(next);
    },
    // The stream was refused: the recorder has ended meanwhile, unless the server is out of reach.
    poll: () => {
      client
        .send('GET /projects/{id}/recorder', { path: { id } })
        .then(({ recorder }) => recorder?.id !== state?.id && end('expired'))
        .catch(() => undefined);
    },
    onEnd: () => undefined,
  });

  const failed = (error: unknown) => {
    const failure = error instanceof Error ? error : new Error(String(error));
    if (failure instanceof TidemarkError && failure.status === 404) return end('crashed');
    setRemark({ text: sentenceOf(failure), isBad: true });
  };
  /** Adds work to the queue. */
  const queued = (work: (target: { readonly id: string; readonly recorder: string }) => Promise<void>) => {
    if (state === undefined || ended !== undefined) return;
    const target = { id, recorder: state.id };
    setPending((count) => count + 1);
    queue.current = queue.current
      .then(() => work(target))
      .catch(failed)
      .finally(() => setPending((count) => count - 1));
  };
  const store = async (target: { readonly id: string; readonly recorder: string }) => {
    clearTimeout(timer.current);
    const text = unstored.current;
    unstored.current = undefined;
    const actions = text === undefined ? undefined : stepsIn(text);
    if (actions === undefined) return;
    await client.send('PATCH /projects/{id}/recorder/{recorder}', { path: target, body: { actions } });
  };

  return {
    state,
    ended,
    isStarting,
    problem,
    frame: frame?.src,
    url: frame?.url ?? state?.url,
    isBusy: pending > 0,
    remark,
    list,
    picked,
    played,
    steps,
    async start(url) {
      setStarting(true);
      setProblem(undefined);
      try {
        const opened = await client.send('POST /projects/{id}/recorder', { path: { id }, body: { url } });
        show(opened);
        // Steps of a recorder that has ended are kept.
        if (steps === '') setSteps(toText(opened.actions));
        else unstored.current = steps;
      } catch (error) {
        setProblem(error instanceof Error ? error : new Error(String(error)));
      } finally {
        setStarting(false);
      }
    },
    async close() {
      if (state === undefined) return;
      const path = { id, recorder: state.id };
      if (await act(() => client.send('DELETE /projects/{id}/recorder/{recorder}', { path }))) end('closed');
    },
    send: (input) =>
      queued(async (target) => {
        await store(target);
        const step = await client.send('POST /projects/{id}/recorder/{recorder}/input', {
          path: target,
          body: input,
          timeoutMs: 90_000,
        });
        setSteps(toText(step.actions));
        setRemark(toRemark(step));
        setList(step.list);
        setPlayed(undefined);
      }),
    pick: (point) =>
      queued(async (target) => {
        const { element } = await client.send('POST /projects/{id}/recorder/{recorder}/pick', {
          path: target,
          body: point,
        });
        setPicked(element);
      }),
    edit(text) {
      setSteps(text);
      setPlayed(undefined);
      unstored.current = text;
      clearTimeout(timer.current);
      timer.current = setTimeout(() => queued(store), STORE_MS);
    },
    play: (given) =>
      queued(async (target) => {
        if (given !== undefined) {
          setSteps(toText(given));
          unstored.current = toText(given);
        }
        await store(target);
        const actions = given ?? stepsIn(steps) ?? [];
        setPlayed(undefined);
        setList(null);
        setPlayed(
          await client.send('POST /projects/{id}/recorder/{recorder}/play', {
            path: target,
            body: { actions },
            timeoutMs: 150_000,
          }),
        );
        setRemark(undefined);
      }),
  };
}
