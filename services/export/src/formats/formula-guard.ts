/**
 * First characters at which spreadsheets read a cell as a formula, after white space too; with their full-width forms, which some programs convert.
 * Source: OWASP, CSV Injection.
 */
const FORMULA = /^(?:[\s\uFEFF]*[=+\-@|＝＋－＠]|[\t\r\n])/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/** Prefixes a cell with an apostrophe where a spreadsheet would run it as a formula. Numbers are not changed. */
export function guardFormula(cell: string): string {
  return FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}
