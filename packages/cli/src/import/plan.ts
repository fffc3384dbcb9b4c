import type { NewProject } from '@tidemark/sdk';

/** What an import makes: projects, and what of the source has no counterpart. */
export interface ImportPlan {
  readonly projects: readonly NewProject[];
  readonly notCarried: readonly string[];
}

/** Pages of one source that share settings. */
export interface Watched {
  readonly url: string;
  readonly settings: Omit<NewProject, 'seed'>;
}

const MAX_URLS = 50_000;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(textOf).filter((one) => one !== '') : [];

/** Returns a web URL in its normal form; undefined for other text. */
export function webUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/** Groups pages into one project per host and settings, whose runs fetch exactly these pages. */
export function projectsOf(watched: readonly Watched[]): {
  readonly projects: NewProject[];
  readonly invalid: string[];
} {
  const invalid: string[] = [];
  const groups = new Map<string, { origin: string; settings: Watched['settings']; urls: Set<string> }>();
  for (const { url, settings } of watched) {
    const parsed = webUrl(url);
    if (parsed === undefined) {
      invalid.push(`${url}: not an http or https URL`);
      continue;
    }
    const key = `${parsed.origin} ${JSON.stringify(settings)}`;
    const group = groups.get(key) ?? { origin: parsed.origin, settings, urls: new Set() };
    group.urls.add(parsed.href);
    groups.set(key, group);
  }
  const projects = [...groups.values()].flatMap(({ origin, settings, urls }) =>
    parts([...urls]).map((url_list): NewProject => {
      const config = {
        ...settings.config,
        crawl_mode: 'list_only' as const,
        url_list,
        max_pages: Math.max(1, url_list.length),
      };
      return { name: new URL(origin).host, ...settings, seed: `${origin}/`, config };
    }),
  );
  return { projects, invalid };
}

const parts = (urls: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(urls.length / MAX_URLS) }, (_, at) => urls.slice(at * MAX_URLS, (at + 1) * MAX_URLS));
