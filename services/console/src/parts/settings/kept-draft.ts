import type { Edits } from './draft.ts';

const KEY = 'tidemark-settings-';

/** Returns the unsaved settings of a project that this tab keeps. */
export function keptDraft(project: string): Edits {
  const text = sessionStorage.getItem(KEY + project);
  if (text === null) return {};
  const kept: unknown = JSON.parse(text);
  if (typeof kept !== 'object' || kept === null) return {};
  return Object.fromEntries(
    Object.entries(kept).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Keeps the unsaved settings of a project in this tab; none removes them. */
export function keepDraft(project: string, edits: Edits): void {
  if (Object.keys(edits).length === 0) sessionStorage.removeItem(KEY + project);
  else sessionStorage.setItem(KEY + project, JSON.stringify(edits));
}
