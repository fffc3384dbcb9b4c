import type { ChangeRecord } from '@tidemark/sdk';
import { Donut } from '../../parts/donut.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ShareBar } from '../../parts/share-bar.tsx';
import { EstimateLine } from '../../parts/site-estimate.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { IgnoredLink } from './ignored-blocks.tsx';

const { changes: texts } = words;
const OUTCOMES = [
  ['added', 'bg-good'],
  ['removed', 'bg-bad'],
  ['modified', 'bg-warn'],
  ['withheld', 'bg-info'],
  ['unverified', 'bg-edge'],
  ['same', 'bg-idle'],
] as const;

/** The outcome of every page, and whether the comparison covers the site. */
export function Summary({ record: { counts, coverage, digest } }: { record: ChangeRecord }) {
  return (
    <div className="mb-4 grid gap-4 lg:grid-cols-3">
      {counts === null ? null : (
        <Panel title={texts.outcome} actions={<IgnoredLink counts={counts} />} className="lg:col-span-2">
          <ShareBar
            parts={OUTCOMES.map(([key, colour]) => ({ key, colour, text: texts.kinds[key], value: counts[key] }))}
          />
        </Panel>
      )}
      {coverage === null ? null : (
        <Panel title={texts.coverage}>
          <div className="flex items-center gap-4">
            <Donut
              label={texts.coverage}
              value={coverage.known === 0 ? 1 : Math.min(1, coverage.read / coverage.known)}
            />
            <div className="min-w-0">
              <p className="font-medium">{coverage.verdict ? texts.verdict : texts.noVerdict}</p>
              <p className="text-muted">{texts.read(number(coverage.read), number(coverage.known))}</p>
              <EstimateLine {...coverage} />
              <ul className="text-muted">
                {coverage.reasons.map((reason) => (
                  <li key={reason} className="anywhere">
                    {texts.coverageReason(reason)}
                  </li>
                ))}
              </ul>
            </div>
          </div>
        </Panel>
      )}
      {digest === null ? null : (
        <Panel title={texts.digest} className="lg:col-span-3">
          <p dir="auto">{digest.summary}</p>
          <ul className="mt-2 list-disc ps-5">
            {digest.points.map((point) => (
              <li key={point} dir="auto">
                {point}
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </div>
  );
}
