import type { NewProject, Project } from '@tidemark/sdk';
import { webUrl } from './plan.ts';

/** A project that exists, as far as an import compares it. */
export type KnownProject = Pick<Project, 'id' | 'seed' | 'name' | 'config'>;

/** What an import does with a planned project. */
export type ImportStep =
  | { readonly kind: 'create'; readonly project: NewProject }
  /** `missing`: planned pages that the existing project does not list. */
  | { readonly kind: 'exists'; readonly project: NewProject; readonly id: string; readonly missing: number };

const hrefOf = (url: string): string => webUrl(url)?.href ?? url;
const pagesOf = ({ config }: Pick<NewProject, 'config'>): ReadonlySet<string> | undefined =>
  config?.crawl_mode === 'list_only' ? new Set((config.url_list ?? []).map(hrefOf)) : undefined;

const missingIn = (known: KnownProject, planned: NewProject): number => {
  const pages = pagesOf(known);
  return pages === undefined ? 0 : [...(pagesOf(planned) ?? [])].filter((url) => !pages.has(url)).length;
};

/** Whether a project has the seed and name of a planned one, and either both crawl or both list a common page. */
function isSame(known: KnownProject, planned: NewProject): boolean {
  if (hrefOf(known.seed) !== hrefOf(planned.seed)) return false;
  if (planned.name !== undefined && known.name !== planned.name) return false;
  const [before, now] = [pagesOf(known), pagesOf(planned)];
  if (before === undefined || now === undefined) return before === now;
  return [...now].some((url) => before.has(url));
}

/** Number of planned settings that a project has. Secrets are masked in responses and never equal. */
const equalSettings = (known: KnownProject, { config = {} }: NewProject): number => {
  const existing = new Map(Object.entries(known.config));
  return Object.entries(config).filter(([key, value]) => JSON.stringify(existing.get(key)) === JSON.stringify(value))
    .length;
};

/**
 * Decides which planned projects are created. One that exists is left as it is, whatever its settings are now: an import that is repeated, or
 * continued after a failure, creates nothing twice. Each existing project is the counterpart of one planned project, that with most equal settings.
 */
export function importSteps(planned: readonly NewProject[], known: readonly KnownProject[]): ImportStep[] {
  const left = new Set(known);
  return planned.map((project): ImportStep => {
    const [same] = [...left]
      .filter((one) => isSame(one, project))
      .sort((a, b) => equalSettings(b, project) - equalSettings(a, project));
    if (same === undefined) return { kind: 'create', project };
    left.delete(same);
    return { kind: 'exists', project, id: same.id, missing: missingIn(same, project) };
  });
}
