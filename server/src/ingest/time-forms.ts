/** Forms of dates and times, such as `M/D/YYYY HH:mm`, as patterns. Pure. */

/** The parts of a form, each with its pattern; `.n` is a fraction that may be missing. */
const PARTS: Readonly<Record<string, string>> = {
  YYYY: '([0-9]{4})',
  MMM: '([A-Za-z]{3})',
  MM: '([0-9]{2})',
  M: '([0-9]{2})',
  DD: '([0-9]{2})',
  D: '([0-9]{2})',
  HH: '([0-9]{2})',
  H: '([0-9]{2})',
  mm: '([0-9]{2})',
  ss: '([0-9]{2})',
  SSSSS: '([0-9]{1,5})',
  '.n': String.raw`(\.[0-9]{1,9})?`,
  Z: '(Z|[+-][0-9]{2}:?[0-9]{2})',
};
const PART = /YYYY|MMM|MM?|DD?|HH?|mm|ss|SSSSS|\.n|n{1,9}|Z|./g;
export const TIME_FORM_LEGAL =
  'a form of YYYY, M, MM or MMM, D or DD, H or HH, mm, ss, SSSSS for seconds since midnight, n for each digit of a fraction, .n for a fraction that may be missing, and Z for an offset, such as YYYYMMDD HH:mm:ss.n';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** From the names of months in any of the usual cases to their numbers. */
export const MONTH_PAIRS: readonly (readonly [string, string])[] = MONTHS.flatMap((name, m) =>
  [name, name.toUpperCase(), name.toLowerCase()].map(
    (text) => [text, `${m + 1}`.padStart(2, '0')] as const,
  ),
);

export interface TimeForm {
  /** For RE2 and JavaScript, of the whole text. */
  readonly pattern: string;
  /** `YYYY-MM-DD`, and with its time if the form has one; `\1` is the first group, `\0` all. */
  readonly date: string;
  readonly time: string | null;
  readonly hasOffset: boolean;
  /** The time is `YYYY-MM-DDT` and the seconds since midnight, with their fraction. */
  readonly isSeconds: boolean;
  /** Numbers of one digit get a zero in front of them before the pattern is tried. */
  readonly isPadded: boolean;
  /** Names of months are replaced by their numbers before the pattern is tried. */
  readonly hasNames: boolean;
}

/** Null: it is no form, as a part is missing or is there twice. */
export function timeForm(form: string): TimeForm | null {
  const parts: readonly string[] = form.match(PART) ?? [];
  const groups = new Map<string, string>();
  let [pattern, asItStands] = ['', ''];
  for (const part of parts) {
    const isDigits = /^n+$/.test(part);
    const own = isDigits ? `([0-9]{${part.length}})` : PARTS[part];
    if (own === undefined) {
      pattern += RegExp.escape(part);
      asItStands += part;
      continue;
    }
    const kind = isDigits || part === '.n' ? 'fraction' : (part[0] as string);
    if (groups.has(kind)) return null;
    const group = `\\${groups.size + 1}`;
    groups.set(kind, isDigits ? `.${group}` : group);
    asItStands += group;
    pattern += part === 'MMM' ? PARTS.MM : own;
  }
  const [year, month, day, hour, seconds] = ['Y', 'M', 'D', 'H', 'S'].map((kind) =>
    groups.get(kind),
  );
  const isSeconds = seconds !== undefined;
  if (isSeconds && ['H', 'm', 's', 'Z'].some((kind) => groups.has(kind))) return null;
  const isDate = year !== undefined && month !== undefined && day !== undefined;
  if (!isDate || ((hour ?? seconds) === undefined && groups.size > 3)) return null;
  const date = `${year}-${month}-${day}`;
  const rest = `${groups.get('fraction') ?? ''}${groups.get('Z') ?? ''}`;
  const clock = seconds ?? `${hour}:${groups.get('m') ?? '00'}:${groups.get('s') ?? '00'}`;
  const time = `${date}T${clock}${rest}`;
  return {
    pattern,
    date,
    time: (hour ?? seconds) === undefined ? null : time === asItStands ? '\\0' : time,
    hasOffset: groups.has('Z'),
    isSeconds,
    isPadded: parts.some((part) => ['M', 'D', 'H'].includes(part)),
    hasNames: parts.includes('MMM'),
  };
}
