/** Returns consecutive IPv4 addresses. */
export function addressesFrom(first: string, count: number): string[] {
  const number = first.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return Array.from({ length: count }, (_, at) =>
    [24, 16, 8, 0].map((shift) => Math.floor((number + at) / 2 ** shift) % 256).join('.'),
  );
}
