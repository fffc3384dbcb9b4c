import type { MapFile } from '@tidemark/sdk';

/** A file of the tree with its depth. */
export interface FileRow {
  readonly file: MapFile;
  readonly depth: number;
}

const MAX_DEPTH = 8;

/** Returns the files of a sitemap tree below their indexes, in the order of the tree. A file whose index is missing stands at the top. */
export function fileRows(files: readonly MapFile[]): readonly FileRow[] {
  const byParent = Map.groupBy(files, ({ parent }) => parent);
  const known = new Set(files.map(({ url }) => url));
  const seen = new Set<MapFile>();
  const below = (file: MapFile, depth: number): FileRow[] => {
    if (seen.has(file)) return [];
    seen.add(file);
    const children = depth === MAX_DEPTH ? [] : (byParent.get(file.url) ?? []);
    return [{ file, depth }, ...children.flatMap((child) => below(child, depth + 1))];
  };
  const roots = files.filter(({ parent, url }) => parent === null || parent === url || !known.has(parent));
  return [...roots, ...files].flatMap((file) => below(file, 0));
}
