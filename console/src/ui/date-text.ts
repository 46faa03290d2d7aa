/** Dates as they are typed. */

const COMPLETE = /^\d{4}-\d\d-\d\d$/;
const DIGITS = /^(\d{4})[-/.]?(\d\d)[-/.]?(\d\d)$/;

/** `2026-11-18` of `20261118` and `2026/11/18` too; other texts stay as they are. */
export function dateText(typed: string): string {
  return typed.trim().replace(DIGITS, '$1-$2-$3');
}

/** Whether nothing more is to be typed. */
export function isWholeDate(text: string): boolean {
  return text === '' || COMPLETE.test(text);
}
