import type { PageOutcome } from '../outcomes/outcome-table.ts';

/** Pages by outcome, and what was found in them. Of a page that moved, both addresses are one page, `modified`. */
export interface RecordCounts extends Readonly<Record<PageOutcome, number>> {
  /** Values beside the text that differ. */
  readonly fields: number;
  readonly selectorBreaks: number;
  /** Blocks left out because they change by themselves. */
  readonly volatileBlocks: number;
}

/** Counts pages as their outcomes become known. */
export class OutcomeCounter {
  readonly #pages: Record<PageOutcome, number> = {
    added: 0,
    removed: 0,
    modified: 0,
    same: 0,
    withheld: 0,
    unverified: 0,
    skipped: 0,
  };
  #fields = 0;
  #volatileBlocks = 0;

  page(outcome: PageOutcome): void {
    this.#pages[outcome] += 1;
  }

  addFindings(findings: { readonly fields: number; readonly volatileBlocks: number }): void {
    this.#fields += findings.fields;
    this.#volatileBlocks += findings.volatileBlocks;
  }

  counts(selectorBreaks: number): RecordCounts {
    return { ...this.#pages, fields: this.#fields, selectorBreaks, volatileBlocks: this.#volatileBlocks };
  }
}
