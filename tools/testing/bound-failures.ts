const HEAD_LINES = 70;
const TAIL_LINES = 20;
/** The line with which jest begins the report of one failed test. */
const BEGINS = /^(?= {2}● )/m;

/** Shortens the report of each failed test to its first and last lines: a diff of large values has thousands. Jest prints it twice. */
export const boundFailures = (report: string): string => report.split(BEGINS).map(shortened).join('');

function shortened(text: string): string {
  const lines = text.split('\n');
  const left = lines.length - HEAD_LINES - TAIL_LINES;
  if (left <= 0) return text;
  return [...lines.slice(0, HEAD_LINES), `    … ${left} lines left out …`, ...lines.slice(-TAIL_LINES)].join('\n');
}
