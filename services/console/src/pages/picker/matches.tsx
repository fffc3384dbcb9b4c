import type { SelectorMatches } from '@tidemark/sdk';
import { pathOf } from '../../parts/site-name.tsx';
import { sentenceOf } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';

const { picker: texts } = words;

type Match = SelectorMatches['data'][number];

const everywhere = ({ matches, pages }: Match): string =>
  texts.everywhere(words.counts.matches(matches), words.counts.pages(pages));

interface CandidateProps {
  readonly candidates: readonly string[];
  readonly chosen: string;
  readonly matches: SelectorMatches | undefined;
  readonly choose: (selector: string) => void;
}

/** The selectors of the picked element, each with its matches on the stored pages. */
export function Candidates({ candidates, chosen, matches, choose }: CandidateProps) {
  if (candidates.length === 0) return null;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">{texts.candidates}</legend>
      <ul className="grid gap-1">
        {candidates.map((selector) => {
          const match = matches?.data.find((one) => one.selector === selector);
          return (
            <li key={selector}>
              <label className="flex items-start gap-2 rounded-md px-2 py-1.5 hover:bg-hover">
                <input
                  type="radio"
                  name="candidate"
                  checked={selector === chosen}
                  onChange={() => choose(selector)}
                  className="mt-1 size-4 accent-accent"
                />
                <span className="min-w-0">
                  <code className="anywhere text-xs">{selector}</code>
                  <span className="block text-xs text-muted">
                    {match === undefined ? texts.counting : everywhere(match)}
                  </span>
                </span>
              </label>
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}

interface CountProps {
  readonly selector: string;
  /** Matches in the shown page; undefined: not counted there. */
  readonly here: number | undefined;
  readonly matches: SelectorMatches | undefined;
  readonly error: Error | null;
}

/** The matches of the selector: here, on all stored pages, and some of their values. */
export function Counts({ selector, here, matches, error }: CountProps) {
  const match = matches?.data.find((one) => one.selector === selector);
  const problem = match?.error ?? (error === null ? null : sentenceOf(error));
  const isChosen = selector.trim() !== '';
  return (
    <div role="status" className="text-xs">
      {isChosen ? null : <p className="text-muted">{texts.nothing}</p>}
      {isChosen && problem !== null ? <p className="anywhere text-bad">{problem}</p> : null}
      {isChosen && problem === null ? (
        <p className="font-medium">
          {here === undefined ? '' : `${texts.here(words.counts.matches(here))} · `}
          {match === undefined ? texts.counting : everywhere(match)}
        </p>
      ) : null}
      {isChosen && match !== undefined ? <Samples match={match} matches={matches} /> : null}
    </div>
  );
}

function Samples({ match, matches }: { match: Match; matches: SelectorMatches | undefined }) {
  return (
    <>
      {matches === undefined ? null : (
        <p className="text-muted">
          {texts.scanned(words.counts.pages(matches.scanned))}
          {matches.withoutBody === 0 ? '' : `, ${texts.withoutHtml(words.counts.pages(matches.withoutBody))}`}
        </p>
      )}
      <ul aria-label={texts.samples} className="mt-2 grid gap-2">
        {match.samples.map(({ url, texts: values }) => (
          <li key={url}>
            <span dir="ltr" className="anywhere block text-muted">
              {pathOf(url)}
            </span>
            {values.map((value, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: values may repeat
              <span key={index} dir="auto" className="anywhere line-clamp-2 block">
                {value}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}
