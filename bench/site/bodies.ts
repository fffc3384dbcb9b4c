import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { timeOf } from './document.ts';
import { isVolatile } from './edits.ts';
import { copyHtml, treePageHtml } from './page-html.ts';
import type { PlannedPage, SitePlan } from './plan.ts';
import { specialHtml } from './special-html.ts';

/** A page as it is sent. */
export interface Body {
  readonly html: Buffer;
  readonly gzip: Buffer;
  /** Absent on pages that differ at every request. */
  readonly etag: string | undefined;
  readonly modifiedAt: Date;
}

/** The level that servers commonly use for pages made at each request. */
const GZIP_LEVEL = 5;
/** Bodies kept without prewarming. */
const KEPT = 2_000;

/** Builds the bodies of a site's pages, and keeps all of them after `prewarm`, else the last ones. */
export class Bodies {
  readonly #plan: SitePlan;
  readonly #kept = new Map<string, Body>();
  #limit = KEPT;
  #requests = 0;

  constructor(plan: SitePlan) {
    this.#plan = plan;
  }

  of(page: PlannedPage, generation: number): Body {
    if (page.kind === 'page' && isVolatile(this.#plan, page.id)) {
      this.#requests += 1;
      const html = Buffer.from(treePageHtml(this.#plan, page.id, generation, this.#requests));
      return { html, gzip: gzipSync(html, { level: GZIP_LEVEL }), etag: undefined, modifiedAt: timeOf(generation) };
    }
    const key = `${generation} ${page.path}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const body = this.#build(page, generation);
    this.#kept.set(key, body);
    if (this.#kept.size > this.#limit) for (const first of this.#kept.keys()) return this.#dropped(first, body);
    return body;
  }

  /** Builds every page of a generation. */
  prewarm(generation: number): void {
    const pages = this.#plan
      .ids(generation)
      .map((id): PlannedPage => ({ kind: 'page', path: this.#plan.pathOf(id), id }));
    const all = [...pages, ...this.#plan.specials];
    this.#limit = this.#kept.size + all.length + KEPT;
    for (const page of all) this.of(page, generation);
  }

  #dropped(key: string, body: Body): Body {
    this.#kept.delete(key);
    return body;
  }

  #htmlOf(page: PlannedPage, generation: number): string {
    if (page.kind === 'page') return treePageHtml(this.#plan, page.id, generation);
    return page.kind === 'copy' ? copyHtml(this.#plan, page.id, generation) : specialHtml(this.#plan, page);
  }

  #build(page: PlannedPage, generation: number): Body {
    const text = this.#htmlOf(page, generation);
    const html = Buffer.from(text);
    const etag = `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`;
    return {
      html,
      gzip: gzipSync(html, { level: GZIP_LEVEL }),
      etag,
      modifiedAt: this.#modifiedAt(page, generation, text),
    };
  }

  /** Returns the time of the earliest generation since which a page has the same bytes. */
  #modifiedAt(page: PlannedPage, generation: number, html: string): Date {
    let since = generation;
    while (since > 1 && this.#isPresent(page, since - 1) && this.#htmlOf(page, since - 1) === html) since -= 1;
    return timeOf(since);
  }

  #isPresent(page: PlannedPage, generation: number): boolean {
    return 'referrer' in page || this.#plan.exists(page.id, generation);
  }
}
