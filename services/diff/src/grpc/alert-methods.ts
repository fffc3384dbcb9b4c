import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { type BoundMethod, handle } from '@tidemark/service';
import type { PreviewRule } from '../alerts/preview-rule.ts';
import type { AlertStore } from '../store/alert-store.ts';
import { clamp, requireProjectAccess } from './requests.ts';
import { toWireEntry } from './to-wire.ts';

const MAX_MATCHES = 5_000;
const MAX_PREVIEWED = 100;
/** Matches that are returned with blocks, and how many of each: what a message shows. */
const WITH_BLOCKS = 20;
const MAX_BLOCKS = 3;

export interface AlertMethodDeps {
  readonly alerts: AlertStore;
  readonly previewRule: PreviewRule;
}

/** The methods that list the matches of alert rules and preview a rule. */
export function alertMethods({ alerts, previewRule }: AlertMethodDeps): BoundMethod[] {
  return [
    handle(Rpc.listAlertMatches, async ({ projectId, runId, limit }, ctx) => {
      const { workspaceId } = requireProjectAccess(ctx, projectId);
      const size = clamp(limit, MAX_MATCHES);
      const found = await alerts.ofRun({ workspaceId, projectId, runId }, size + 1);
      const matches = found.slice(0, size).map(({ alert, entry, position }, index) => ({
        alert,
        entry: toWireEntry({
          entry: { ...entry, blocks: index < WITH_BLOCKS ? entry.blocks.slice(0, MAX_BLOCKS) : [] },
          runId,
          position,
          reviewedBy: '',
          reviewedAt: undefined,
          alerts: [],
        }),
      }));
      return { matches, isMore: found.length > size };
    }),
    handle(Rpc.previewAlert, async ({ projectId, when, initial, cooldownMinutes, fieldNames, limit }, ctx) => {
      const caller = requireProjectAccess(ctx, projectId);
      const { matches, ...totals } = await previewRule(caller, {
        projectId,
        rule: { id: 'preview', when, initial, cooldownMinutes },
        fieldNames,
        limit: clamp(limit, MAX_PREVIEWED),
      });
      return {
        ...totals,
        matches: matches.map(({ view, madeAt, isSent }) => ({ entry: toWireEntry(view), madeAt, isSent })),
      };
    }),
  ];
}
