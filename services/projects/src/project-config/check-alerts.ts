import { compileCondition } from '@tidemark/alert-rules';
import type { FieldFault } from '@tidemark/errors';
import { ExpressionError } from '@tidemark/expressions';
import { readSettings } from '@tidemark/project-config';
import type { ConfigValues } from '../domain/config-values.ts';

/** Returns the faults of the conditions of a change: the fields that they may read are those of the change, or else of the saved config. */
export function faultsOfAlerts(change: ConfigValues, saved: ConfigValues): FieldFault[] {
  const { alerts = [] } = readSettings({ alerts: change['alerts'] });
  if (alerts.length === 0) return [];
  const { fields = {} } = readSettings({ fields: change['fields'] === undefined ? saved['fields'] : change['fields'] });
  const names = Object.keys(fields);
  return alerts.flatMap(({ when }, index) => {
    const msg = faultOf(when, names);
    return msg === undefined
      ? []
      : [{ loc: ['body', 'config', 'alerts', index, 'when'], msg, type: 'condition_refused' }];
  });
}

function faultOf(when: string, fieldNames: readonly string[]): string | undefined {
  try {
    compileCondition(when, fieldNames);
    return undefined;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return error.message;
  }
}
