import type { ApiResponse } from '../../test/harness/api.ts';

/** Counts of one kind of request. */
interface Count {
  answered: number;
  unexpected: number;
  first: string;
}

/** Counts requests by kind, and those that were answered with a status that the load does not expect. */
export class Tally {
  readonly #counts = new Map<string, Count>();

  #of(kind: string): Count {
    const count = this.#counts.get(kind) ?? { answered: 0, unexpected: 0, first: '' };
    this.#counts.set(kind, count);
    return count;
  }

  /** Counts a response and returns it. */
  expect(kind: string, response: ApiResponse, ...statuses: readonly number[]): ApiResponse {
    const count = this.#of(kind);
    count.answered += 1;
    if (!statuses.includes(response.status)) this.fail(kind, `${response.status} ${response.text.slice(0, 200)}`);
    return response;
  }

  count(kind: string): void {
    this.#of(kind).answered += 1;
  }

  fail(kind: string, what: string): void {
    const count = this.#of(kind);
    count.unexpected += 1;
    if (count.first === '') count.first = what;
  }

  get rows(): readonly (readonly string[])[] {
    return [...this.#counts].map(([kind, { answered, unexpected, first }]) => [
      kind,
      String(answered),
      String(unexpected),
      first,
    ]);
  }

  get errors(): number {
    return [...this.#counts.values()].reduce((sum, { unexpected }) => sum + unexpected, 0);
  }
}
