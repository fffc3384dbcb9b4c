import { newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { normalizeUrl, parseWebUrl } from '@tidemark/web-url';
import type { ConfigValues } from './domain/config-values.ts';
import type { Keeping, NewProject } from './domain/project.ts';
import { checkName } from './keeping.ts';
import { dueAfter } from './schedule/due-times.ts';

/** Refuses an address nobody may be sent to. @throws AppError validation */
export type Admit = (url: string, field: string) => Promise<void>;

export interface ProjectWish {
  readonly workspaceId: string;
  readonly seed: string;
  readonly name: string;
  readonly keeping: Keeping;
  readonly config: ConfigValues;
}

/** A project as it is to be written. @throws AppError validation */
export async function makeProject(wish: ProjectWish, admit: Admit, at: Date): Promise<NewProject> {
  const seed = readSeed(wish.seed);
  const name = checkName(wish.name);
  await admit(seed, 'seed');
  const id = newId('prj');
  const { workspaceId, keeping, config } = wish;
  return { id, workspaceId, seed, name, ...keeping, config, nextDue: dueAfter(keeping, id, at), at };
}

/** A seed as it is kept. @throws AppError validation */
export function readSeed(seed: string): string {
  const parsed = parseWebUrl(seed);
  if (parsed.ok) return normalizeUrl(parsed.url);
  throw new AppError('validation', `seed: ${parsed.reason}`, {
    detail: [{ loc: ['body', 'seed'], msg: parsed.reason, type: 'address_refused' }],
  });
}
