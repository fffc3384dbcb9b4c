/**
 * Joins texts without line breaks to one parameter of `string_to_array(lines, E'\n')`; URLs and JSON have no line breaks. Escaping them as an array would cost more than the rest of the statement.
 */
export const asLines = (texts: readonly string[]): string => texts.join('\n');
