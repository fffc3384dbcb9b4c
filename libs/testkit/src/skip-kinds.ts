/** What a test may need and a machine may lack: the kinds of skips. */
export const SKIP_KINDS = {
  'browser-fonts': 'the fonts for Chinese, Japanese, Korean and emoji',
  'fetched-package': 'a package of npm that is fetched at the first run',
  'fetched-server': 'a server that is fetched at the first run',
  'foreign-reader': 'a program of others that reads exported files',
  helm: 'helm, which is fetched at the first run',
  'kubernetes-types': 'the types of Kubernetes’ manifests, which are fetched at the first run',
  mount: 'the right to mount a file system',
  'package-registry': 'a package registry that audits dependencies',
  'previous-release': 'the commit of the release before, in the history of the clone',
  'python-3.11': 'Python 3.11 or later',
} as const satisfies Readonly<Record<string, string>>;

export type SkipKind = keyof typeof SKIP_KINDS;

const PREFIX = 'needs ';

/** Returns the title under which tests of a kind are skipped. */
export const skipTitle = (kind: SkipKind): string => PREFIX + kind;

/** Returns the kind of a skipped test from the titles around it; undefined where it has none. */
export function skipKindOf(titles: readonly string[]): SkipKind | undefined {
  const names = titles.filter((title) => title.startsWith(PREFIX)).map((title) => title.slice(PREFIX.length));
  return names.find((name): name is SkipKind => Object.hasOwn(SKIP_KINDS, name));
}
