/** Compares two values of parsed JSON: the order of properties has no meaning. Takes time linear in the smaller value. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [own, others] = [Object.entries(one), new Map<string, unknown>(Object.entries(other))];
  return (
    own.length === others.size && own.every(([name, value]) => others.has(name) && isEqual(value, others.get(name)))
  );
}
