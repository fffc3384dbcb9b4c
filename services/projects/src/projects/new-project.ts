import { actorOf, type Caller, newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { normalizeUrl, parseWebUrl } from '@tidemark/web-url';
import type { AdmitUrl } from '../domain/admit-url.ts';
import type { ConfigValues } from '../domain/config-values.ts';
import type { NewProject, ProjectSettings } from '../domain/project.ts';
import { checkTags } from '../project-config/check-tags.ts';
import { dueAfter } from '../schedule/due-times.ts';
import { checkName, checkReference } from './project-settings.ts';

export interface NewProjectRequest {
  readonly caller: Caller;
  readonly seed: string;
  readonly name: string;
  /** Absent: none. */
  readonly reference?: string;
  /** Absent: none. */
  readonly tags?: readonly string[];
  readonly settings: ProjectSettings;
  readonly config: ConfigValues;
}

/** Builds a project to insert. @throws AppError validation */
export async function newProject(request: NewProjectRequest, admit: AdmitUrl, at: Date): Promise<NewProject> {
  const seed = normalizeSeed(request.seed);
  const name = checkName(request.name);
  await admit(seed, 'seed');
  const id = newId('prj');
  const { caller, settings, config } = request;
  const { workspaceId } = caller;
  return {
    id,
    workspaceId,
    seed,
    name,
    reference: checkReference(request.reference ?? ''),
    tags: checkTags(request.tags ?? []),
    ...settings,
    config,
    nextDue: dueAfter(settings, id, at),
    createdBy: actorOf(caller),
    at,
  };
}

/** @throws AppError validation */
export function normalizeSeed(seed: string): string {
  const parsed = parseWebUrl(seed);
  if (parsed.ok) return normalizeUrl(parsed.url);
  throw new AppError('validation', `seed: ${parsed.reason}`, {
    detail: [{ loc: ['body', 'seed'], msg: parsed.reason, type: 'address_refused' }],
  });
}
