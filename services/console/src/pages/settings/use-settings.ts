import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Project, Result } from '@tidemark/sdk';
import { client } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { GROUPS, type Setting } from '../../parts/settings/draft.ts';
import { boundsOf, choicesOf, kindOf } from '../../parts/settings/setting-value.ts';
import { words } from '../../words/words.ts';

const { settings: texts } = words;
export const FROM = '/projects/$project/settings';

const GENERAL = [
  ['name', { type: 'string' }, ''],
  ['schedule', { type: 'string' }, 'manual'],
  ['timezone', { type: 'string' }, 'UTC'],
  ['retention', { type: 'integer', minimum: 1, maximum: 3_650 }, 90],
] as const;

function generalSettings(project: Project): readonly Setting[] {
  return GENERAL.map(([key, schema, fallback]) => ({
    ...({ key, group: 'general', kind: kindOf(schema), choices: [], bounds: boundsOf(schema) } as const),

    summary: texts.general[key],
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

/** Computes the effect of unsaved settings from stored pages. Nothing is fetched or stored. */
export function useEffectOf(config: Readonly<Record<string, unknown>>, groups: ReadonlySet<string>) {
  const { project: id } = useParams({ from: FROM });
  const path = { id };
  const scope = useQuery({
    queryKey: ['POST /projects/{id}/dry-run', path, config],
    enabled: groups.has('scope'),
    queryFn: async ({ signal }) => {
      const [now, after] = await Promise.all([
        client.send('POST /projects/{id}/dry-run', { path, body: {}, signal }),
        client.send('POST /projects/{id}/dry-run', { path, body: { config }, signal }),
      ]);
      return { now, after };
    },
  });
  const content = useQuery({
    queryKey: ['POST /projects/{id}/content/preview', path, config],
    enabled: groups.has('content'),
    queryFn: async ({ signal }) => {
      const [now, after] = await Promise.all([
        client.send('POST /projects/{id}/content/preview', { path, body: {}, signal }),
        client.send('POST /projects/{id}/content/preview', { path, body: { config }, signal }),
      ]);
      return { now, after };
    },
  });
  return { scope, content };
}
