/** The one table of filter operators, for parser, planner, forms and docs. */
import { DATA_TYPES, type DataType } from '../catalog/dataset.ts';

/** One value, a comma-separated list of values, or a pattern with `*`. */
type Operand = 'value' | 'list' | 'pattern';

/** True if the end itself is kept; null: no bound. */
export type End = 'included' | 'excluded' | null;

export interface Bounds {
  readonly lower: End;
  readonly upper: End;
}

export interface OperatorRule {
  readonly operand: Operand;
  /** The column types that it fits. */
  readonly dataTypes: readonly DataType[];
  /** The rows that it keeps, quoted in docs/queries.md. */
  readonly sentence: string;
  /**
   * How its least value bounds what it keeps below, and its greatest above. Dates are narrowed and
   * row groups left out by this. Null where its values say nothing: then every row is looked at.
   */
  readonly bounds: Bounds | null;
  /**
   * True if the operator keeps only rows with one of its values, so that few row groups are read.
   */
  readonly isNaming: boolean;
  /**
   * On times it takes a date for the midnight at which it begins. Not where the end of the day
   * could be meant as well.
   */
  readonly takesDatesAsTimes: boolean;
}

const ORDERED: readonly DataType[] = ['integer', 'number', 'decimal', 'date', 'date-time'];

const TABLE = {
  eq: {
    operand: 'value',
    dataTypes: DATA_TYPES,
    sentence: 'equal to the value',
    bounds: { lower: 'included', upper: 'included' },
    isNaming: true,
    takesDatesAsTimes: false,
  },
  gt: {
    operand: 'value',
    dataTypes: ORDERED,
    sentence: 'greater (later) than the value',
    bounds: { lower: 'excluded', upper: null },
    isNaming: false,
    takesDatesAsTimes: false,
  },
  ge: {
    operand: 'value',
    dataTypes: ORDERED,
    sentence: 'the value or greater (later)',
    bounds: { lower: 'included', upper: null },
    isNaming: false,
    takesDatesAsTimes: true,
  },
  lt: {
    operand: 'value',
    dataTypes: ORDERED,
    sentence: 'less (earlier) than the value',
    bounds: { lower: null, upper: 'excluded' },
    isNaming: false,
    takesDatesAsTimes: true,
  },
  le: {
    operand: 'value',
    dataTypes: ORDERED,
    sentence: 'the value or less (earlier)',
    bounds: { lower: null, upper: 'included' },
    isNaming: false,
    takesDatesAsTimes: false,
  },
  in: {
    operand: 'list',
    dataTypes: DATA_TYPES,
    sentence: 'equal to a value in the list',
    bounds: { lower: 'included', upper: 'included' },
    isNaming: true,
    takesDatesAsTimes: false,
  },
  like: {
    operand: 'pattern',
    dataTypes: ['string', 'array of string'],
    sentence: 'matched by the pattern, in which `*` stands for any run of characters',
    bounds: null,
    isNaming: false,
    takesDatesAsTimes: false,
  },
  ilike: {
    operand: 'pattern',
    dataTypes: ['string'],
    sentence: 'matched by the pattern, ignoring case',
    bounds: null,
    isNaming: false,
    takesDatesAsTimes: false,
  },
} as const satisfies Readonly<Record<string, OperatorRule>>;

export type Operator = keyof typeof TABLE;

/** The operators whose operand is of the kind. */
export type OperatorOf<O extends Operand> = {
  [Name in Operator]: (typeof TABLE)[Name]['operand'] extends O ? Name : never;
}[Operator];

export const OPERATORS: Readonly<Record<Operator, OperatorRule>> = TABLE;

/** In the order of the table. */
export function operatorNames(): Operator[] {
  return Object.keys(OPERATORS) as Operator[];
}

export function isOperator(name: string): name is Operator {
  return Object.hasOwn(OPERATORS, name);
}

export function takes<O extends Operand>(
  operator: Operator,
  operand: O,
): operator is OperatorOf<O> {
  return OPERATORS[operator].operand === operand;
}

/** The operators that fit a column of the type, in the order of the table. */
export function operatorsOf(dataType: DataType): Operator[] {
  return operatorNames().filter((name) => OPERATORS[name].dataTypes.includes(dataType));
}

/** Operators that name the values they keep. */
export function namingOperators(): Operator[] {
  return operatorNames().filter((name) => OPERATORS[name].isNaming);
}

/**
 * A pattern as a regular expression of RE2: `*` stands for any run of characters, every other
 * character for itself. Its matcher takes time in proportion to the text whatever the pattern is.
 */
export function wildcardExpression(pattern: string): string {
  const parts = pattern.split(/\*+/).map((part) => part.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&'));
  return parts.join('.*');
}
