import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { BlamedBlock } from '../blame/blamed-blocks.ts';
import type { BlamePage } from '../readings/blame-page.ts';
import { landmarkOf } from '../records/entries/entry.ts';
import { requireProjectAccess } from './requests.ts';

/** The method that states when the texts of a page appeared. */
export function blameMethods({ blamePage }: { readonly blamePage: BlamePage }): BoundMethod[] {
  return [
    handle(Rpc.blamePage, async ({ projectId, urlKeys, at }, ctx) => {
      requireProjectAccess(ctx, projectId);
      const call = { caller: callerOf(ctx), requestId: ctx.requestId };
      const keys = urlKeys.slice(0, MAX_KEYS).map((key) => Buffer.from(key));
      const { versions, blocks, ...blame } = await blamePage(call, { projectId, urlKeys: keys, at });
      return {
        ...blame,
        versions: versions.map(({ since, isAtLeast, reading }) => ({
          since,
          isAtLeast,
          runId: reading?.runId,
          pageId: reading?.pageId,
        })),
        blocks: blocks.map(toWire),
      };
    }),
  ];
}

const MAX_KEYS = 8;

const toWire = ({ block, section, history, runs }: BlamedBlock) => ({
  text: block.text,
  kind: block.kind,
  section,
  landmark: landmarkOf(block),
  origin: history.origin,
  lastEdit: history.lastEdit,
  edits: history.edits,
  moves: history.moves,
  returned: history.returned,
  isApproximate: history.isApproximate,
  words: runs.map(({ text, version }) => ({ text, version })),
});
