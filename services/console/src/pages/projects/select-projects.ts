import type { ProjectSummary } from '@tidemark/sdk';
import type { ProjectView } from './projects-view.ts';

const VALUES: Readonly<Record<string, (project: ProjectSummary) => string | number>> = {
  site: ({ name, seed }) => (name ?? seed.replace(/^https?:\/\//, '')).toLowerCase(),
  lastRun: ({ lastRun }) => lastRun?.finishedAt ?? '',
  pages: ({ lastRun }) => lastRun?.pages ?? -1,
  nextRun: ({ nextRunAt }) => nextRunAt ?? '9999',
};

/** Returns the projects that a filter leaves, in the chosen order: those that were added last first by default. */
export function selectProjects(
  projects: readonly ProjectSummary[],
  { q = '', tag, health, sort }: ProjectView,
): ProjectSummary[] {
  const parts = q.toLowerCase().split(/\s+/);
  const found = projects.filter((project) => {
    const text = `${project.name ?? ''} ${project.seed} ${project.tags.join(' ')}`.toLowerCase();
    const isChosen = tag === undefined || project.tags.includes(tag);
    return (
      isChosen && (health === undefined || project.health === health) && parts.every((part) => text.includes(part))
    );
  });
  const orderBy = VALUES[sort?.replace('-', '') ?? ''];
  if (orderBy === undefined) return found;
  const sign = sort?.startsWith('-') ? -1 : 1;
  return found.sort((one, other) => {
    const [left, right] = [orderBy(one), orderBy(other)];
    return left === right ? 0 : left < right ? -sign : sign;
  });
}
