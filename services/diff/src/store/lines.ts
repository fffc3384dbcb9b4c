/**
 * Texts without line breaks as one value of a statement, a line each, for `string_to_array($n, E'\n')`: addresses and JSON have none. As
 * an array they would be escaped sign by sign, which costs more than all else that is done to a row.
 */
export const asLines = (texts: readonly string[]): string => texts.join('\n');
