interface MissingVariable {
  readonly path: readonly PropertyKey[];
  readonly name: string;
}

/**
 * Replaces `${NAME}` in every text of a value by the variable, after the file is parsed, so that a variable is always text and never syntax. `$${`
 * stands for `${`.
 */
export function withVariables(
  given: unknown,
  env: Readonly<Record<string, string | undefined>>,
): { readonly value: unknown; readonly missing: readonly MissingVariable[] } {
  const missing: MissingVariable[] = [];
  const visit = (value: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof value === 'string')
      return value.replace(/\$(\$\{)|\$\{(\w+)\}/g, (_, escaped: string | undefined, name: string | undefined) => {
        if (escaped !== undefined || name === undefined) return '${';
        const text = env[name];
        if (text === undefined) missing.push({ path, name });
        return text ?? '';
      });
    if (Array.isArray(value)) return value.map((item, at) => visit(item, [...path, at]));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item, [...path, key])]));
    return value;
  };
  return { value: visit(given, []), missing };
}
