/** What a picture of an empty state shows: a tide gauge in calm water, with the first mark, or far off in fog. */
export type SceneName = 'calm' | 'first' | 'away';

const WAVE = 'c6-5 12-5 18 0s12 5 18 0 12-5 18 0 12 5 18 0 12-5 18 0';
const SHORT_WAVE = 'c6-5 12-5 18 0s12 5 18 0 12-5 18 0 12 5 18 0';

/** The gauge: a pole with its ticks. */
const Gauge = () => (
  <>
    <path d="M60 12v50" strokeWidth="5" className="stroke-edge" />
    <path d="M64 20h7M64 28h5M64 36h7M64 44h5" strokeWidth="1.500" className="stroke-edge" />
  </>
);

/** The picture of an empty state, in the colours of the theme. */
export function Scene({ name }: { name: SceneName }) {
  return (
    <svg aria-hidden viewBox="0 0 120 80" fill="none" strokeLinecap="round" className="h-20 w-30">
      <ellipse cx="60" cy="66" rx="52" ry="12" className="fill-accent-tint" />
      <g className={name === 'away' ? 'opacity-35' : ''}>
        <Gauge />
      </g>
      {name === 'away' ? (
        <path d="M20 26h46M38 38h60M14 50h34" strokeWidth="2" className="stroke-line" />
      ) : (
        <path
          d="M38 28h44"
          strokeWidth="2.500"
          strokeDasharray={name === 'first' ? '1 5' : undefined}
          className="stroke-accent"
        />
      )}
      <path d={`M15 58${WAVE}`} strokeWidth="2.500" className="stroke-accent" />
      <path d={`M24 67${SHORT_WAVE}`} strokeWidth="2" className="stroke-accent opacity-50" />
    </svg>
  );
}
