import type { JobState } from '@tidemark/sdk';

const WIDTH = 24;

/** Draws the progress of a job on stderr, on a terminal only. */
export class ProgressBar {
  readonly #isShown = process.stderr.isTTY === true && process.env['TERM'] !== 'dumb';
  #last = '';

  readonly update = ({
    progress: { done, total },
    creditsUsed,
    paused,
  }: Partial<JobState> & Pick<JobState, 'progress' | 'creditsUsed'>): void => {
    const filled = total === 0 ? 0 : Math.min(WIDTH, Math.floor((done / total) * WIDTH));
    const bar = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}`;
    this.#last = `${bar} ${done}/${total} pages, ${creditsUsed} credits${paused === true ? ', paused' : ''}`;
    if (this.#isShown) process.stderr.write(`\r\u001b[K${this.#last}`);
  };

  /** Removes the bar, so that other output begins on an empty line. */
  clear(): void {
    if (this.#isShown && this.#last !== '') process.stderr.write('\r\u001b[K');
  }
}
