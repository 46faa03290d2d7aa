/** `ES` is a root, `ESZ6` one of its contracts, `ES.c.0` one contract after the other. */

const CONTRACT = /^([A-Z0-9]+?)([FGHJKMNQUVXZ])(\d{1,2})$/;
const CONTINUOUS = /^[A-Z0-9]+\.[cvn]\.\d{1,2}$/;
const ROOT = /^[A-Z0-9]{1,6}$/;
const MONTHS = 'FGHJKMNQUVXZ';
const MONTH_NAMES = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August'],
  ...['September', 'October', 'November', 'December'],
];

/** Contracts that a root stands for in a chart: the nearest delivery on each day. */
export function frontContract(root: string): string {
  return `${root}.c.0`;
}

export function isRoot(text: string): boolean {
  return ROOT.test(text) && !CONTRACT.test(text) && !CONTINUOUS.test(text);
}

/** A continuous contract in its one spelling, whatever was typed; other texts as they are. */
export function continuousName(text: string): string {
  const [, root, rule, rank] = /^([A-Z0-9]+)\.([CVN])\.(\d{1,2})$/i.exec(text) ?? [];
  if (root === undefined || rule === undefined) return text;
  return `${root.toUpperCase()}.${rule.toLowerCase()}.${rank}`;
}

/** `December 2026` of `ESZ6`, in the decade around a year; null of what is no contract. */
export function deliveryOf(contract: string, nowYear: number): string | null {
  const [, , letter = '', digits = ''] = CONTRACT.exec(contract) ?? [];
  const month = MONTH_NAMES[MONTHS.indexOf(letter)];
  if (letter === '' || month === undefined) return null;
  const span = 10 ** digits.length;
  const year = Math.floor(nowYear / span) * span + Number(digits);
  const near = [year - span, year, year + span].toSorted(
    (a, b) => Math.abs(a - nowYear) - Math.abs(b - nowYear),
  );
  return `${month} ${near[0]}`;
}

const KINDS = [
  ['c', 'the nearest delivery of each day'],
  ['v', 'the contract most traded the day before'],
  ['n', 'the contract with the most open interest'],
] as const;

/** The names that a root may be asked as, its contracts among them, if they begin so. */
export function namesOfRoot(
  root: string,
  contracts: readonly string[],
  nowYear: number,
  begin: string,
): readonly { readonly name: string; readonly hint: string }[] {
  const names = [
    { name: root, hint: 'All contracts' },
    ...KINDS.map(([letter, meaning]) => ({
      name: `${root}.${letter}.0`,
      hint: `Continuous: ${meaning}`,
    })),
    ...contracts.map((name) => ({ name, hint: deliveryOf(name, nowYear) ?? 'Contract' })),
  ];
  return names.filter(({ name }) => name.toLowerCase().startsWith(begin.toLowerCase()));
}

/** The root that a text means or begins with: of `ESZ6`, `ES.c.0` and `es`, it is `ES`. */
export function rootOfText(text: string): string | null {
  const upper = text.trim().toUpperCase();
  const [continuous = ''] = upper.split('.');
  const root = upper.includes('.') ? continuous : (CONTRACT.exec(upper)?.[1] ?? upper);
  return ROOT.test(root) ? root : null;
}
