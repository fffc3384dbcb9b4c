import type { Usage } from '@tidemark/sdk';
import type { UsageTab } from './usage-tabs.ts';

/** One line of a breakdown of the month. */
export interface UsageRow {
  readonly key: string;
  readonly name: string;
  readonly pages: number;
  readonly credits: number;
}

/** Names of what the ids of a breakdown stand for. */
export interface Names {
  readonly kinds: Readonly<Record<string, string>>;
  readonly projects: ReadonlyMap<string, string>;
  readonly actors: ReadonlyMap<string, string>;
  readonly noProject: string;
  readonly deletedProject: string;
  readonly schedules: string;
}

/** Returns the month by kind, project, or key and person, most credits first. */
export function usageRows(month: Usage['month'], by: Exclude<UsageTab, 'tokens'>, names: Names): readonly UsageRow[] {
  const rows = {
    kind: () => month.byKind.map(({ kind, ...rest }) => ({ key: kind, name: names.kinds[kind] ?? kind, ...rest })),
    project: () =>
      month.byProject.map(({ projectId, ...rest }) => ({
        ...rest,
        key: projectId ?? '',
        name: projectId === null ? names.noProject : (names.projects.get(projectId) ?? names.deletedProject),
      })),
    key: () =>
      month.byKey.map(({ keyId, memberId, ...rest }) => {
        const id = keyId ?? memberId;
        return { ...rest, key: id ?? '', name: id === null ? names.schedules : (names.actors.get(id) ?? id) };
      }),
  }[by]();
  return rows.toSorted((one, other) => other.credits - one.credits);
}
