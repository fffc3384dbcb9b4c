import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import { plain } from './plain-text.ts';

const MAX_NAME_CHARS = 80;

/** What a project is called: its name, or the host it is of. */
export function nameOf({ projectName, seed }: Channels): string {
  const name = plain(projectName, MAX_NAME_CHARS);
  return name === '' ? plain(URL.parse(seed)?.host ?? seed, MAX_NAME_CHARS) : name;
}

/** Where a run can be read whole; empty where there is no console. */
export function linkTo(consoleUrl: string, projectId: string, runId: string): string {
  if (consoleUrl === '') return '';
  const run = runId === '' ? '' : `/runs/${encodeURIComponent(runId)}`;
  return `${consoleUrl.replace(/\/+$/, '')}/projects/${encodeURIComponent(projectId)}${run}`;
}
