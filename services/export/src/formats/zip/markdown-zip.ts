import type { DatasetRow as Row } from '@tidemark/datasets';
import { markdownPath } from './markdown-path.ts';
import { type ZipEntry, zipEntries } from './zip-entries.ts';

/** Encodes the rows of the markdown dataset as an archive: one file per page, in folders as its URL, with the URL, title and time as front matter. */
export function encodeMarkdownZip(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<Uint8Array> {
  return zipEntries(markdownEntries(batches));
}

async function* markdownEntries(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<ZipEntry> {
  const names = new Set<string>();
  for await (const rows of batches) {
    for (const row of rows) {
      const url = String(row['url']);
      yield { name: markdownPath(url, names), content: `${frontMatter(row)}${String(row['markdown'] ?? '')}\n` };
    }
  }
}

/** YAML front matter. JSON texts are valid YAML scalars (YAML 1.2, 1.3). */
function frontMatter(row: Row): string {
  const lines = ['url', 'title', 'language', 'crawledAt'].flatMap((key) =>
    row[key] === null || row[key] === undefined ? [] : [`${key}: ${JSON.stringify(row[key])}`],
  );
  return `---\n${lines.join('\n')}\n---\n\n`;
}
