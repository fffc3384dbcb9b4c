import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Transitions } from '@tidemark/sql/transitions';

const ROOT = join(import.meta.dirname, '../..');

/** A state machine of a service. */
interface StateMachine {
  readonly service: string;
  /** File of its table of transitions, and the name of the table. */
  readonly file: string;
  readonly table: string;
  readonly start: string;
}

/** The state machines that the READMEs of their services draw. */
export const STATE_MACHINES: readonly StateMachine[] = [
  {
    service: 'billing',
    file: 'src/states/subscription-state.ts',
    table: 'SUBSCRIPTION_TRANSITIONS',
    start: 'incomplete',
  },
  { service: 'archive', file: 'src/domain/list-state.ts', table: 'LIST_TRANSITIONS', start: 'listing' },
  { service: 'diff', file: 'src/domain/record-state.ts', table: 'RECORD_TRANSITIONS', start: 'pending' },
  { service: 'delivery', file: 'src/domain/delivery.ts', table: 'DELIVERY_TRANSITIONS', start: 'pending' },
  { service: 'export', file: 'src/domain/sync.ts', table: 'SYNC_TRANSITIONS', start: 'queued' },
  { service: 'crawl', file: 'src/domain/run/run-state.ts', table: 'RUN_TRANSITIONS', start: 'queued' },
  { service: 'scrape', file: 'src/domain/job-state.ts', table: 'JOB_TRANSITIONS', start: 'queued' },
  { service: 'map', file: 'src/domain/job-state.ts', table: 'JOB_TRANSITIONS', start: 'running' },
  { service: 'projects', file: 'src/domain/due-state.ts', table: 'DUE_TRANSITIONS', start: 'starting' },
  { service: 'identity', file: 'src/domain/invite-state.ts', table: 'INVITE_TRANSITIONS', start: 'open' },
];

/** Returns the diagram of a state machine, read from its code. @throws Error if the file has no such table */
export async function diagramOf({ service, file, table, start }: StateMachine): Promise<string> {
  const path = join(ROOT, 'services', service, file);
  const code: Readonly<Record<string, Transitions<string> | undefined>> = await import(pathToFileURL(path).href);
  const transitions = code[table];
  if (transitions === undefined) throw new Error(`${path} has no ${table}`);
  return stateDiagram(transitions, start);
}

/** Returns the diagram of transitions in Mermaid. A state from which no transition leads to another one is an end. */
export function stateDiagram(transitions: Transitions<string>, start: string): string {
  const lines: string[] = [];
  const left = new Set<string>();
  for (const [name, { from, to }] of Object.entries(transitions))
    for (const state of from) {
      if (state !== to) left.add(state);
      lines.push(`  ${state} --> ${to}: ${name}`);
    }
  const states = new Set(Object.values(transitions).map(({ to }) => to));
  const ends = [...states].filter((state) => !left.has(state)).map((state) => `  ${state} --> [*]`);
  return ['```mermaid', 'stateDiagram-v2', `  [*] --> ${start}`, ...lines, ...ends, '```'].join('\n');
}
