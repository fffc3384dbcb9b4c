import type { PageOutcome } from '../../domain/outcome-table.ts';

/** Pages by outcome, and totals of their changes. A moved page counts once, as modified. */
export interface RecordCounts extends Readonly<Record<PageOutcome, number>> {
  /** Changed values other than text. */
  readonly fields: number;
  readonly selectorBreaks: number;
  /** Ignored changes of blocks and of lists of the head; each is listed. */
  readonly volatileBlocks: number;
}

/** Counts outcomes as they become known. */
export class OutcomeCounter {
  readonly #pages: Record<PageOutcome, number> = {
    added: 0,
    removed: 0,
    modified: 0,
    same: 0,
    withheld: 0,
    unverified: 0,
    skipped: 0,
    machineRead: 0,
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
