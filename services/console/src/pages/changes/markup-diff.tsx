import { useRead } from '../../api/queries.ts';
import type { Readings } from '../../parts/diff/readings.ts';
import { NeverStored } from '../../parts/never-stored.tsx';
import { Loaded } from '../../parts/states.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { changes: texts } = words;
const MAX_SHOWN = 500;

/** The elements and attributes that differ between two readings. */
export function MarkupDiff({ project: id, url, run, from }: Readings) {
  const query = { url, run_id: run, ...(from === undefined ? {} : { from }) };
  const markup = useRead('GET /projects/{id}/changes/markup', { path: { id }, query });
  return (
    <Loaded of={markup} whenMissing={<NeverStored what="markup" />}>
      {({ changes, noiseSuppressed, truncated }) => {
        const noise = Object.values(noiseSuppressed).reduce((sum, one) => sum + one, 0);
        return (
          <>
            {changes.length === 0 ? <p>{texts.markup.none}</p> : null}
            <ul className="grid gap-3">
              {changes.slice(0, MAX_SHOWN).map(({ op, selector, attribute, before, after }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the differences are constant
                <li key={index} className="border-s-2 border-line ps-3">
                  <p className="anywhere text-xs text-muted">
                    {op}
                    {attribute === null ? '' : ` · ${texts.markup.attribute(attribute)}`} · <code>{selector}</code>
                  </p>
                  <p dir="auto" className="anywhere font-mono text-xs whitespace-pre-wrap">
                    {before === null ? null : <del>{before}</del>} {after === null ? null : <ins>{after}</ins>}
                  </p>
                </li>
              ))}
            </ul>
            {noise === 0 ? null : <p className="mt-3 text-xs text-muted">{texts.markup.noise(number(noise))}</p>}
            {truncated ? <p className="mt-3 text-muted">{texts.truncated}</p> : null}
          </>
        );
      }}
    </Loaded>
  );
}
