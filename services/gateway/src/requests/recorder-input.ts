import type { RecorderInput } from '@tidemark/api';
import type { LiveInput } from '@tidemark/contracts/browser/v1/live';

const DEFAULT_WAIT_MS = 1_000;

/** Converts an input, which has the fields of its type, to its message. */
export function toLiveInput({
  type,
  point,
  selector,
  text = '',
  key = '',
  to,
  value = '',
  ms,
}: RecorderInput): LiveInput {
  switch (type) {
    case 'click': {
      const target =
        point === undefined
          ? { $case: 'selector' as const, value: selector ?? '' }
          : { $case: 'point' as const, value: point };
      return { input: { $case: 'click', value: { target } } };
    }
    case 'type':
      return { input: { $case: 'type', value: { text, selector } } };
    case 'press':
      return { input: { $case: 'press', value: { key, selector } } };
    case 'scroll':
      return { input: { $case: 'scroll', value: { to: to ?? 'down', selector } } };
    case 'select':
      return { input: { $case: 'select', value: { selector: selector ?? '', value } } };
    case 'wait':
      return { input: { $case: 'wait', value: { ms: ms ?? DEFAULT_WAIT_MS, selector } } };
  }
}
