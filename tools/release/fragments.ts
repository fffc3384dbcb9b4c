import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Kinds of changes, in the order of a section (keepachangelog.com), and `upgrading` for UPGRADING.md. */
export const KINDS = ['security', 'added', 'changed', 'deprecated', 'removed', 'fixed', 'upgrading'] as const;
export type Kind = (typeof KINDS)[number];

/** A file `changes/<kind>-<name>.md`: what one change means for users or operators. */
export interface Fragment {
  readonly file: string;
  readonly kind: Kind;
  readonly text: string;
}

/** Returns the fragments of the folder `changes`. @throws Error naming a file without a kind or without text */
export function readFragments(root: string): Fragment[] {
  const dir = join(root, 'changes');
  return readdirSync(dir)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort()
    .map((name) => {
      const kind = KINDS.find((one) => name.startsWith(`${one}-`));
      const text = readFileSync(join(dir, name), 'utf8').trim();
      if (kind === undefined)
        throw new Error(
          `changes/${name} has no kind; expected changes/<kind>-<name>.md with a kind of ${KINDS.join(', ')}`,
        );
      if (text === '') throw new Error(`changes/${name} is empty; expected what the change means for users`);
      return { file: `changes/${name}`, kind, text };
    });
}

/** Returns the section of CHANGELOG.md for a release. */
export function changelogSection(version: string, date: string, fragments: readonly Fragment[]): string {
  const groups = KINDS.filter((kind) => kind !== 'upgrading').flatMap((kind) => {
    const items = fragments.filter((fragment) => fragment.kind === kind).map(({ text }) => listItem(text));
    return items.length === 0 ? [] : [`### ${kind.charAt(0).toUpperCase()}${kind.slice(1)}\n\n${items.join('\n')}`];
  });
  const body = groups.length === 0 ? ['No change for users.'] : groups;
  return [`## ${version} (${date})`, ...body].join('\n\n');
}

/** Returns the section of UPGRADING.md for a release, which states so if nothing has to be done. */
export function upgradingSection(earlier: string, version: string, fragments: readonly Fragment[]): string {
  const texts = fragments.filter(({ kind }) => kind === 'upgrading').map(({ text }) => listItem(text));
  const body = texts.length === 0 ? 'Nothing has to be done besides the upgrade itself.' : texts.join('\n');
  return `## From ${earlier} to ${version}\n\n${body}`;
}

/** Inserts a section before the first one of a document, or at its end. */
export function withSection(document: string, section: string): string {
  const first = document.indexOf('\n## ');
  if (first === -1) return `${document.trimEnd()}\n\n${section}\n`;
  return `${document.slice(0, first)}\n${section}\n${document.slice(first)}`;
}

const listItem = (text: string): string => `- ${text.replaceAll('\n', '\n  ')}`;
