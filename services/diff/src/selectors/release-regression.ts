/** A run whose selectors broke, as input of the release guard. */
export interface BrokenProject {
  readonly workspaceId: string;
  readonly projectId: string;
  /** Host of the project's seed. */
  readonly host: string;
  readonly foundAtMs: number;
}

const WATCH_PERIOD_MS = 3_600_000;
const MIN_UNRELATED = 3;

/**
 * Returns the runs that broke within an hour after a release, if at least three have neither workspace nor host in
 * common: the release is then at fault. Empty otherwise.
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
