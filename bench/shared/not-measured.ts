const missing: string[] = [];

/**
 * Prints that a part was not measured. The process then lists all such parts in its last line and ends with exit code 1, so that a
 * measurement that did not take place is not taken for a passed one. Parts that an option leaves out are not reported.
 */
export function notMeasured(what: string, reason: string): void {
  console.log(`${what}: not measured, ${reason}`);
  if (missing.length === 0) process.once('exit', printMissing);
  missing.push(what);
}

function printMissing(): void {
  console.log(`NOT MEASURED: ${missing.join(', ')}`);
  process.exitCode ||= 1;
}
