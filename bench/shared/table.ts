/** Prints aligned columns: the first to the left, figures to the right, and a blank line after the last row. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => (row[at] ?? '').length)));
  for (const row of [head, widths.map((width) => '-'.repeat(width)), ...rows])
    console.log(
      row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
    );
  console.log('');
}

/** Three decimals; `-` where there is no value. */
export const show = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(3));
