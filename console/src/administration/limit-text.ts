/** Limits as people write them. */

const BYTE_UNITS = [
  ['PB', 1e15],
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const;
const BYTES_FORM = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i;
const COUNT_FORM = /^\d+$/;
const SHOWN_DECIMALS = 3;
const SHOWN_MAX = 10_000;

/** Digits may be grouped by commas, underscores or spaces. */
function ungrouped(text: string): string {
  return text.trim().replaceAll(/(?<=\d)[,_ ](?=\d{3})/g, '');
}

function asLimit(value: number): number | null {
  return Number.isSafeInteger(value) ? value : null;
}

/** A whole number; null for anything else. */
export function parseCount(text: string): number | null {
  const digits = ungrouped(text);
  return COUNT_FORM.test(digits) ? asLimit(Number(digits)) : null;
}

function unitBytes(unit: string): number | null {
  const name = unit.toLowerCase();
  if (['', 'b', 'byte', 'bytes'].includes(name)) return 1;
  return BYTE_UNITS.find(([known]) => known.toLowerCase() === name)?.[1] ?? null;
}

/** Bytes of `1.5 GB` or `1500000`; null for what is none, or no whole number of bytes. */
export function parseBytes(text: string): number | null {
  const [, digits = '', unit = ''] = BYTES_FORM.exec(ungrouped(text)) ?? [];
  const factor = unitBytes(unit);
  if (digits === '' || factor === null) return null;
  const bytes = Number(digits) * factor;
  // Decimals such as 1.1 are not exact in binary.
  const whole = Math.round(bytes);
  return Math.abs(bytes - whole) < 1e-3 ? asLimit(whole) : null;
}

/** The shortest text that `parseBytes` reads as exactly so many. */
export function bytesInputText(bytes: number): string {
  for (const [unit, factor] of BYTE_UNITS) {
    const value = bytes / factor;
    const text = `${Number(value.toFixed(SHOWN_DECIMALS))} ${unit}`;
    if (value >= 1 && value < SHOWN_MAX && parseBytes(text) === bytes) return text;
  }
  return String(bytes);
}
