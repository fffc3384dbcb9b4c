import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Project, Result } from '@tidemark/sdk';
import { client } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import type { Setting } from '../../parts/settings/draft.ts';
import { GROUPS } from '../../parts/settings/groups.ts';
import { useRunEstimate } from '../../parts/settings/run-price.tsx';
import { boundsOf, choicesOf, kindOf } from '../../parts/settings/setting-value.ts';

export const FROM = '/projects/$project/settings';

const GENERAL = [
  ['name', { type: 'string' }, ''],
  ['seed', { type: 'string' }, ''],
  ['tags', { type: 'array', items: { type: 'string' } }, []],
  ['schedule', { type: 'string' }, 'manual'],
  ['timezone', { type: 'string' }, 'UTC'],
  ['retention', { type: 'integer', minimum: 1, maximum: 3_650 }, 90],
] as const;

function generalSettings(project: Project): readonly Setting[] {
  return GENERAL.map(([key, schema, fallback]) => ({
    ...({ key, group: 'general', kind: kindOf(schema), choices: [], bounds: boundsOf(schema) } as const),

    summary: '',
    fallback,
    stored: project[key] ?? undefined,
  }));
}

function settingsOf(project: Project, config: Result<'GET /meta'>['config']): readonly Setting[] {
  const own = Object.entries(config).flatMap(
    ([key, { group: name, default: fallback, says: summary, schema }]): Setting[] => {
      const group = GROUPS.find((one) => one === name) ?? 'advanced';
      const shape = { kind: kindOf(schema), choices: choicesOf(schema), bounds: boundsOf(schema) };
      return [{ key, group, summary, ...shape, fallback, stored: project.config[key] }];
    },
  );
  return [...generalSettings(project), ...own];
}

interface Loaded {
  readonly project: Project;
  readonly settings: readonly Setting[];
}

/** Loads the project and the catalogue of settings. */
export function useSettings() {
  const { project: id } = useParams({ from: FROM });
  const project = useRead('GET /projects/{id}', { path: { id } });
  const meta = useRead('GET /meta', {});
  const data: Loaded | undefined =
    project.data === undefined || meta.data === undefined
      ? undefined
      : { project: project.data, settings: settingsOf(project.data, meta.data.config) };
  const refetch = () => Promise.all([project.refetch(), meta.refetch()]);
  return { data, error: project.error ?? meta.error, refetch };
}

/** Computes the effect of unsaved settings from stored pages. Nothing is fetched, stored or charged. */
export function useEffectOf(config: Readonly<Record<string, unknown>>, groups: ReadonlySet<string>) {
  const { project: id } = useParams({ from: FROM });
  const path = { id };
  const now = useRunEstimate(id, {});
  const after = useRunEstimate(id, config);
  const scope = {
    data: now.data === undefined || after.data === undefined ? undefined : { now: now.data, after: after.data },
    error: now.error ?? after.error,
    refetch: () => Promise.all([now.refetch(), after.refetch()]),
  };
  const content = useQuery({
    queryKey: ['POST /projects/{id}/content/preview', path, config],
    enabled: groups.has('content'),
    queryFn: async ({ signal }) => {
      const [before, later] = await Promise.all([
        client.send('POST /projects/{id}/content/preview', { path, body: {}, signal }),
        client.send('POST /projects/{id}/content/preview', { path, body: { config }, signal }),
      ]);
      return { now: before, after: later };
    },
  });
  return { scope, content };
}
