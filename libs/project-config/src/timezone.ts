/** Returns whether a name is an IANA time zone. */
export function isTimezone(name: string): boolean {
  // Intl also accepts offsets, which have no daylight saving time.
  if (name.length > 64 || !/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
