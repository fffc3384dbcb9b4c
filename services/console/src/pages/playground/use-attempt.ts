import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Playground, Result } from '@tidemark/sdk';
import { read, useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/writes.ts';
import { type Edits, patchOf, type Setting } from '../../parts/settings/draft.ts';
import { boundsOf, choicesOf, kindOf } from '../../parts/settings/setting-value.ts';
import type { PlaygroundView } from './playground-view.ts';

export const FROM = '/playground';
const POLL_MS = 700;
/** Keys of the configuration that the page offers as options. Engine and exit have controls of their own. */
const KEYS = [
  'only_main_content',
  'include_selectors',
  'exclude_selectors',
  'remove_banners',
  'fields',
  'wait_for',
  'actions',
  'device',
  'country',
  'headers',
  'cookies',
  'user_agent',
  'timeout_seconds',
  'max_age_seconds',
  'retries',
  'max_credits_per_page',
  'parse_documents',
  'screenshot',
  'login_id',
  'extract',
];

const optionOf = (key: string, config: Result<'GET /meta'>['config']): readonly Setting[] => {
  const entry = config[key];
  if (entry === undefined) return [];
  const { default: fallback, says: summary, schema } = entry;
  const shape = { kind: kindOf(schema), choices: choicesOf(schema), bounds: boundsOf(schema) };
  return [{ key, group: 'fetch', summary, ...shape, fallback, stored: undefined }];
};

/** Returns the options of a capture, from the catalogue of the API. */
export function useOptions(): readonly Setting[] {
  const meta = useRead('GET /meta', {});
  const { data } = meta;
  return data === undefined ? [] : KEYS.flatMap((key) => optionOf(key, data.config));
}

const isRunning = (job: Playground | undefined): boolean => job?.status === 'queued' || job?.status === 'running';

/** Reads an attempt until it has ended. */
export function useJob(id: string | undefined) {
  return useQuery({
    ...read('GET /playground/{id}', { path: { id: id ?? '' } }),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (isRunning(state.data) ? POLL_MS : false),
  });
}

/** Returns the configuration that the edited options make; an option that was reset is left out. */
export const configOf = (options: readonly Setting[], edits: Edits): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(patchOf(options, edits).config).filter(([, value]) => value !== null));

/** Returns the configuration that repeats the attempt through the routes for programs. */
export function captureConfig({ plain, exit }: PlaygroundView, config: Readonly<Record<string, unknown>>) {
  return {
    ...config,
    ...(plain ? { render_js: 'never', max_tier: 'http' } : {}),
    ...(exit ? {} : { use_proxy: 'never' }),
  };
}

/** Returns a function that starts an attempt and puts its id into the URL of the page, from which `useJob` reads it. */
export function useAttempt() {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const { send, isSending, error } = useWrite('POST /playground/extract', ['GET /me']);
  const start = async (next: PlaygroundView, config: Readonly<Record<string, unknown>>): Promise<void> => {
    const { url = '', plain = false, exit = false } = next;
    const body = { url, allow_browser: !plain, use_proxy: exit, config };
    const { id } = await send({ body });
    await navigate({ search: { ...next, tab: view.tab, code: view.code, job: id } });
  };
  return { start, isSending, error };
}
