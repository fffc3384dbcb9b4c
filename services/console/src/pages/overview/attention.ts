import type { Billing, Channel, ProjectSummary } from '@tidemark/sdk';

/** Credits below this number are reported. */
const LOW_CREDITS = 200;

/** Something that a person should act on, most urgent first in a list. */
export type Attention =
  | { readonly kind: 'failing' | 'stopped'; readonly project: ProjectSummary }
  | { readonly kind: 'skipped'; readonly project: ProjectSummary; readonly why: string }
  | { readonly kind: 'changes'; readonly project: ProjectSummary; readonly open: number; readonly isMore: boolean }
  | { readonly kind: 'credits'; readonly left: number }
  | { readonly kind: 'webhook'; readonly channel: Channel };

function ofProject(project: ProjectSummary): Attention[] {
  const { health, lastRun, lastDue } = project;
  if (health === 'failing') return [{ kind: 'failing', project }];
  if (lastRun?.status === 'error') return [{ kind: 'stopped', project }];
  if (lastDue?.status === 'refused') return [{ kind: 'skipped', project, why: lastDue.why ?? '' }];
  return [];
}

interface Known {
  readonly projects: readonly ProjectSummary[];
  readonly channels: readonly Channel[];
  readonly credits: Pick<Billing['credits'], 'remaining'> | undefined;
  /** Changes to review, by project. */
  readonly changes?: readonly Extract<Attention, { kind: 'changes' }>[];
}

/** Returns what needs attention: credits, then failing sites, then webhooks that stopped, then changes to review, then starts that were refused. */
export function attentionOf({ projects, channels, credits, changes = [] }: Known): readonly Attention[] {
  const left = credits?.remaining ?? null;
  const ofProjects = projects.flatMap(ofProject);
  const stopped = channels.filter(({ health: { state } }) => state === 'paused' || state === 'failing');
  return [
    ...(left !== null && left < LOW_CREDITS ? [{ kind: 'credits', left } as const] : []),
    ...ofProjects.filter(({ kind }) => kind !== 'skipped'),
    ...stopped.map((channel) => ({ kind: 'webhook', channel }) as const),
    ...changes.filter(({ open }) => open > 0),
    ...ofProjects.filter(({ kind }) => kind === 'skipped'),
  ];
}
