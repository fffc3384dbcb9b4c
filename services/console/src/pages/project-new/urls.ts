/** Returns the URLs of a text: one per line, or separated by blanks or commas. */
export const urlsIn = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((one) => one !== ''))];
