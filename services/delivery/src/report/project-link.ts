import { textOrEmpty } from '@tidemark/contracts';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import { plain } from './plain-text.ts';

const MAX_NAME_CHARS = 80;

/** Returns the name of a project, or the host of its seed. */
export function nameOf({ projectName, seed }: Channels): string {
  const name = plain(textOrEmpty(projectName), MAX_NAME_CHARS);
  return name === '' ? plain(URL.parse(seed)?.host ?? seed, MAX_NAME_CHARS) : name;
}

/** Returns the console's address of a run; empty where no console is configured. */
export function linkTo(consoleUrl: string, projectId: string, runId: string): string {
  if (consoleUrl === '') return '';
  const run = runId === '' ? '' : `/runs/${encodeURIComponent(runId)}`;
  return `${consoleUrl.replace(/\/+$/, '')}/projects/${encodeURIComponent(projectId)}${run}`;
}
