import { setTimeout as sleep } from 'node:timers/promises';
import type { JobEnvelope } from '@tidemark/sdk';
import type { ToolContext } from './tool.ts';

/** Longest wait of a call, ms. Clients give up at 60 s. */
export const WAIT_MS = 50_000;
const POLL_MS = 1_000;

type State = Pick<JobEnvelope, 'status' | 'progress'>;

export const isOver = ({ status }: Pick<State, 'status'>): boolean => status !== 'queued' && status !== 'running';

/** Polls a job until it ends or `WAIT_MS` have passed, and returns its last state. Sends a progress notification per poll. */
export async function waitForJob<First extends State, Later extends State>(
  first: First,
  read: () => Promise<Later>,
  { signal, progress }: ToolContext,
): Promise<First | Later> {
  const untilMs = performance.now() + WAIT_MS;
  let state: First | Later = first;
  while (!isOver(state) && performance.now() + POLL_MS < untilMs) {
    await sleep(POLL_MS, undefined, { signal });
    state = await read();
    await progress(state.progress.done, state.progress.total);
  }
  return state;
}
