import type { Difference, Step } from './sites.ts';

const MAX_VALUE = 80;

const valueText = (value: unknown): string => {
  if (value === undefined || value === null) return '(default)';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE - 1)}…`;
};

const differenceLine = ({ path, from, to }: Difference): string =>
  `    ${path}: ${valueText(from)} -> ${valueText(to)}`;

/** Returns the lines of a step for people: `+` creates, `~` changes, `-` deletes. */
export function describeStep(step: Step): string[] {
  switch (step.kind) {
    case 'create-project':
      return [`+ project ${step.project.reference}  ${step.project.seed}  ${step.project.schedule}`];
    case 'change-project':
      return [`~ project ${step.reference}`, ...step.differences.map(differenceLine)];
    case 'delete-project':
      return [`- project ${step.reference}  ${step.id}, with its runs and pages`];
    case 'create-destination':
      return [`+ destination ${step.name} of ${step.reference}`];
    case 'change-destination':
      return [`~ destination ${step.name} of ${step.reference}`, ...step.differences.map(differenceLine)];
    case 'delete-destination':
      return [`- destination ${step.name} of ${step.reference}`];
  }
}

export const isDeletion = ({ kind }: Step): boolean => kind === 'delete-project' || kind === 'delete-destination';
