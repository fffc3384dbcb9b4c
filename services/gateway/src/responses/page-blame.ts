import { BLOCK_KINDS, type PageBlame } from '@tidemark/api';
import type { BlamedVersion, BlamePageResponse } from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import { timeOf } from './job-envelope.ts';

/** Converts the history of the texts of a page to the response. */
export function toBlame(
  { versions, version, blocks, completeSince }: BlamePageResponse,
  { withWords, requestId }: { readonly withWords: boolean; readonly requestId: string },
): PageBlame {
  const at = (number: number): PageBlame['version'] => {
    const named = versions[number];
    if (named === undefined) throw new AppError('internal', 'a block names a version that does not exist');
    return toTime(named);
  };
  return {
    version: at(version),
    blocks: blocks.map(({ section, landmark, origin, lastEdit, returned, words, isApproximate, kind, ...block }) => ({
      ...block,
      kind: BLOCK_KINDS[kind - 1] ?? 'paragraph',
      section: section || null,
      landmark: landmark || null,
      origin: at(origin),
      lastEdit: at(lastEdit),
      returned: returned === undefined ? null : { leftAt: at(returned.leftAt), at: at(returned.at) },
      approximate: isApproximate,
      words: withWords ? words.map((run) => ({ text: run.text, version: run.version })) : null,
    })),
    versions: versions.map(toTime),
    completeSince: completeSince === undefined ? null : timeOf(completeSince),
    creditsUsed: 0,
    request_id: requestId,
  };
}

const toTime = ({ since, runId, isAtLeast }: BlamedVersion): PageBlame['version'] => ({
  at: timeOf(since),
  runId: runId ?? null,
  atLeast: isAtLeast,
});
