/** Returns the addresses of a text: one per line, or separated by blanks or commas. */
export const addressesIn = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((one) => one !== ''))];
