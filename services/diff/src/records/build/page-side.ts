import { toProductValues } from '@tidemark/contracts';
import type { PageContent, PageReading } from '../../domain/page-reading.ts';
import type { PageSide, SideContent } from '../../domain/page-states.ts';

/** Characters of one value and of all values of a kind, as JSON. */
const MAX_VALUE_CHARS = 1_000;
const MAX_CHARS = 8_000;

/** Returns what alert rules read of a reading. */
export function sideOf(reading: PageReading, content?: PageContent): PageSide {
  const { title, language, httpStatus, words } = reading;
  const side = { title: title.slice(0, MAX_VALUE_CHARS), language, httpStatus, words };
  return content === undefined ? side : { ...side, content: contentOf(content) };
}

function contentOf({ blocks, fields, extracted, product }: PageContent): SideContent {
  const head = new Map<string, string>();
  for (const { name, value } of blocks.head) {
    const known = head.get(name);
    head.set(name, known === undefined ? value : `${known}, ${value}`);
  }
  return {
    fields: bounded(fields),
    extracted: bounded(extracted?.values ?? {}),
    head: Object.fromEntries([...head].map(([name, value]) => [name, value.slice(0, MAX_VALUE_CHARS)])),
    product: Object.fromEntries(
      Object.entries(toProductValues(product) ?? {}).filter(([, value]) => value !== null && value !== undefined),
    ),
  };
}

/** Returns values whose JSON is short, long texts cut; larger ones are left out. */
function bounded(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  let chars = 0;
  const kept: [string, unknown][] = [];
  for (const [name, value] of Object.entries(values)) {
    const short = typeof value === 'string' ? value.slice(0, MAX_VALUE_CHARS) : value;
    const size = name.length + (JSON.stringify(short)?.length ?? 0);
    if (size > 2 * MAX_VALUE_CHARS || chars + size > MAX_CHARS) continue;
    chars += size;
    kept.push([name, short]);
  }
  return Object.fromEntries(kept);
}
