import type { Output } from '../terminal/output.ts';
import { describeStep } from './describe-step.ts';
import type { Step } from './sites.ts';

/** Prints steps: lines for people, or a JSON record of each. */
export function printSteps(steps: readonly Step[], out: Output): void {
  for (const step of steps) {
    if (out.isJson) out.record(withoutConfig(step));
    else for (const line of describeStep(step)) out.text(line);
  }
}

/** Returns how many steps of each kind there are, as text. */
export function summaryOf(steps: readonly Step[]): string {
  const count = (start: string): number => steps.filter(({ kind }) => kind.startsWith(start)).length;
  return `${count('create')} created, ${count('change')} changed, ${count('delete')} deleted`;
}

/** Returns a step without the values of the file, which contain secrets. */
function withoutConfig(step: Step): object {
  if (step.kind === 'create-project') {
    const { reference, seed, name, tags, schedule, timezone, retention, shownConfig } = step.project;
    return { kind: step.kind, reference, seed, name, tags, schedule, timezone, retention, config: shownConfig };
  }
  if (step.kind !== 'change-project') return step;
  const { patch: _, ...shown } = step;
  return shown;
}
