/** A failure the person at the keyboard can act on. Its message is one sentence: what happened, what was expected, what to do. */
export class Problem extends Error {
  override readonly name = 'Problem';
}

/** The message of anything thrown. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
