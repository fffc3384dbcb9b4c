import type { ReadByOther } from '../../coverage/scan-run.ts';
import type { FieldChange, PageDelta } from '../../domain/page-delta.ts';
import type { PageReading } from '../../domain/page-reading.ts';
import { editOfBlock, editOfField } from '../entries/edit-identity.ts';
import type { PageDifference } from './compare-page.ts';
import type { RecordPorts } from './ports.ts';

/** Edits held per record. */
const MAX_EDITS = 20_000;

/** Identities of the differences that another engine or configuration makes, on pages that did not change meanwhile. */
export type VariantEdits = ReadonlySet<string>;

export const NO_VARIANT_EDITS: VariantEdits = new Set();

/** Compares each control reading with the run's own reading of the page: what differs comes from the way of reading. */
export async function variantEditsOf(
  ports: Pick<RecordPorts, 'loadContent' | 'compareBlocks'>,
  pages: readonly ReadByOther[],
  controls: ReadonlyMap<string, PageReading>,
): Promise<VariantEdits> {
  const edits = new Set<string>();
  for (const { current } of pages) {
    const control = controls.get(current.pageKey);
    if (control === undefined) continue;
    const [before, now] = [await ports.loadContent(control), await ports.loadContent(current)];
    if (before === undefined || now === undefined) continue;
    const delta = await ports.compareBlocks(before.blocks, now.blocks);
    // A degraded comparison does not say which single blocks differ.
    if (!delta.isDegraded) for (const edit of editsIn(delta)) if (edits.size < MAX_EDITS) edits.add(edit);
  }
  return edits;
}

const editsIn = ({ blocks, fields }: Pick<PageDelta, 'blocks' | 'fields'>): string[] => [
  ...blocks.map((change) => editOfBlock(change).name),
  ...fields.map((field) => editOfField(field).name),
];

/** Returns the difference without the edits of the way of reading; undefined: nothing else differs. */
export function withoutVariantEdits(difference: PageDifference, edits: VariantEdits): PageDifference | undefined {
  if (edits.size === 0 || difference.delta.isDegraded) return difference;
  const blocks = difference.delta.blocks.filter((change) => !edits.has(editOfBlock(change).name));
  const fields = difference.delta.fields.filter((field: FieldChange) => !edits.has(editOfField(field).name));
  if (blocks.length === 0 && fields.length === 0) return undefined;
  return {
    ...difference,
    delta: {
      ...difference.delta,
      blocks,
      fields,
      wordsAdded: blocks.reduce((words, change) => words + change.wordsAdded, 0),
      wordsRemoved: blocks.reduce((words, change) => words + change.wordsRemoved, 0),
    },
  };
}
