import { useEffect, useState } from 'react';

/** Time without a change after which a typed value is used, ms. */
const SETTLED_MS = 300;

/** Returns a value once it has not changed for a moment. */
export function useSettled<Value>(value: Value, key: string): Value {
  const [settled, setSettled] = useState(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the value, which is a new object at each rendering
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}
