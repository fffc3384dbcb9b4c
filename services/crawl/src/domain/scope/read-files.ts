import type { ScopeRules } from './scope-rules.ts';

/** The sitemap files whose entries a scope includes. Evaluates each file once while its entries follow each other. */
export class ReadFiles {
  readonly #rules: Pick<ScopeRules, 'readsFile'>;
  #last: { readonly file: string; readonly isRead: boolean } | undefined;

  constructor(rules: Pick<ScopeRules, 'readsFile'>) {
    this.#rules = rules;
  }

  has(file: string): boolean {
    if (this.#last?.file !== file) this.#last = { file, isRead: this.#rules.readsFile(file) };
    return this.#last.isRead;
  }
}
