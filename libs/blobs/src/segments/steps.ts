/** Steps of writes and maintenance between which a process may die. */
export type Step =
  | 'appended'
  | 'synced'
  | 'before index commit'
  | 'indexed'
  | 'purged'
  | 'erasing'
  | 'erased'
  | 'copied'
  | 'moved'
  | 'segment removed'
  | 'file imported';

/** Called after a step. Tests end the process there. */
export type OnStep = (step: Step) => void;

export const ignoreStep: OnStep = () => undefined;
