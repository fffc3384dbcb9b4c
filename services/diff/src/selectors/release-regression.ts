/** That selectors of a project broke, as the guard against our own faults sees it. */
export interface BrokenProject {
  readonly workspaceId: string;
  readonly projectId: string;
  /** Host whose pages they are for. */
  readonly host: string;
  readonly foundAtMs: number;
}

const WATCH_PERIOD_MS = 3_600_000;
const MIN_UNRELATED = 3;

/**
 * Projects whose selectors broke within the hour after a release of ours and that have neither workspace nor site in common: where there are three,
 * the release is at fault, its breaks are not told, and operators are. Empty: it is not.
 */
export function brokenByRelease<Broken extends BrokenProject>(
  projects: readonly Broken[],
  releasedAtMs: number,
): readonly Broken[] {
  const affected = projects.filter(
    ({ foundAtMs }) => foundAtMs >= releasedAtMs && foundAtMs < releasedAtMs + WATCH_PERIOD_MS,
  );
  const unrelated: BrokenProject[] = [];
  for (const project of affected)
    if (unrelated.every((other) => other.workspaceId !== project.workspaceId && other.host !== project.host))
      unrelated.push(project);
  return unrelated.length >= MIN_UNRELATED ? affected : [];
}
