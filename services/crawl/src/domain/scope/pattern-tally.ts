import type { PatternCount, PatternField, Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { PATTERN_FIELDS } from './scope-rules.ts';
import { compilePatterns, type UrlPatterns } from './url-patterns.ts';

interface Field {
  readonly name: PatternField;
  readonly patterns: readonly string[];
  readonly compiled: UrlPatterns;
  readonly counts: number[];
  readonly samples: string[][];
  /** The pattern applies to the URLs of sitemap files. */
  readonly isOfSitemap: boolean;
}

const WIRE_NAMES = {
  includePaths: 'include_paths',
  excludePaths: 'exclude_paths',
  sitemapInclude: 'sitemap_include',
  sitemapExclude: 'sitemap_exclude',
} as const;

/** Counts how many URLs each pattern of a scope matches; the sitemap patterns: how many sitemap files. */
export class PatternTally {
  readonly #fields: readonly Field[];
  readonly #samples: number;

  constructor(scope: Scope, samples: number) {
    this.#samples = samples;
    this.#fields = PATTERN_FIELDS.flatMap(([field]) => {
      const patterns = scope[field];
      if (patterns.length === 0) return [];
      const isOfSitemap = field === 'sitemapInclude' || field === 'sitemapExclude';
      const counts = patterns.map(() => 0);
      const found = patterns.map((): string[] => []);
      const name = WIRE_NAMES[field];
      return [{ name, patterns, compiled: compilePatterns(patterns), counts, samples: found, isOfSitemap }];
    });
  }

  /** Whether the scope has no patterns. */
  get isEmpty(): boolean {
    return this.#fields.length === 0;
  }

  /** Whether the scope has patterns of sitemap files. */
  get hasSitemapPatterns(): boolean {
    return this.#fields.some(({ isOfSitemap }) => isOfSitemap);
  }

  /** Counts the URL of a page. */
  take(href: string): void {
    this.#take(href, false);
  }

  /** Counts the URL of a sitemap file. */
  takeFile(href: string): void {
    this.#take(href, true);
  }

  #take(href: string, isFile: boolean): void {
    const url = this.isEmpty ? null : URL.parse(href);
    if (url === null) return;
    for (const { compiled, counts, samples, isOfSitemap } of this.#fields) {
      if (isOfSitemap !== isFile) continue;
      for (const at of compiled.matchAll(url)) {
        counts[at] = (counts[at] ?? 0) + 1;
        const some = samples[at];
        if (some !== undefined && some.length < this.#samples) some.push(href);
      }
    }
  }

  counted(): PatternCount[] {
    return this.#fields.flatMap(({ name, patterns, counts, samples }) =>
      patterns.map((pattern, at) => ({
        field: name,
        pattern,
        urls: counts[at] ?? 0,
        samples: [...(samples[at] ?? [])],
      })),
    );
  }
}
