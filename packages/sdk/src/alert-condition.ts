/** A template of `GET /meta`. */
export interface ConditionTemplate {
  readonly when: string;
  readonly parameters: readonly { readonly name: string; readonly type: 'number' | 'text' | 'field' }[];
}

const MAX_CHARS = 500;

/** Returns the condition of an alert rule from a template and its values. A value that is no number is 0 where a number is expected. */
export function alertCondition(
  { when, parameters }: ConditionTemplate,
  values: Readonly<Record<string, string>>,
): string {
  const types = new Map(parameters.map(({ name, type }) => [name, type]));
  return when.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const type = types.get(name);
    if (type === undefined) return placeholder;
    const value = values[name] ?? '';
    if (type !== 'number') return JSON.stringify(value.slice(0, MAX_CHARS));
    return String(Number.isFinite(Number(value)) ? Number(value) : 0);
  });
}
