import type pg from 'pg';

/** Seconds one start of a recrawl keeps the others off: longer than its calls take. */
const TURN_SECONDS = 30;

/** Who may start a recrawl of a project: one at a time, so that the others see what it started. */
export class RecrawlTurns {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** @returns false where another's start is under way */
  async take(projectId: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'take-recrawl',
      text: `
        UPDATE projects SET recrawl_until = now() + make_interval(secs => $2)
        WHERE id = $1 AND (recrawl_until IS NULL OR recrawl_until < now())`,
      values: [projectId, TURN_SECONDS],
    });
    return (rowCount ?? 0) > 0;
  }

  async giveBack(projectId: string): Promise<void> {
    await this.#pool.query({
      name: 'give-back-recrawl',
      text: 'UPDATE projects SET recrawl_until = NULL WHERE id = $1',
      values: [projectId],
    });
  }
}
