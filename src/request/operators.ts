/** The operators of filters: the one table that the parser, the planner and the docs go by. */
import { DATA_TYPES, type DataType } from '../catalog/dataset.ts';

export const OPERATOR_NAMES = ['eq', 'gt', 'ge', 'lt', 'le', 'in', 'like', 'ilike'] as const;
export type Operator = (typeof OPERATOR_NAMES)[number];

export interface OperatorRule {
  /** One value, a comma-separated list of values, or a pattern with `*`. */
  readonly operand: 'value' | 'list' | 'pattern';
  /** The column types that it fits. */
  readonly dataTypes: readonly DataType[];
  /** The rows that it keeps, quoted in docs/queries.md. */
  readonly sentence: string;
}

const ORDERED: readonly DataType[] = ['integer', 'number', 'date', 'date-time'];

export const OPERATORS: Readonly<Record<Operator, OperatorRule>> = {
  eq: { operand: 'value', dataTypes: DATA_TYPES, sentence: 'equal to the value' },
  gt: { operand: 'value', dataTypes: ORDERED, sentence: 'greater (later) than the value' },
  ge: { operand: 'value', dataTypes: ORDERED, sentence: 'the value or greater (later)' },
  lt: { operand: 'value', dataTypes: ORDERED, sentence: 'less (earlier) than the value' },
  le: { operand: 'value', dataTypes: ORDERED, sentence: 'the value or less (earlier)' },
  in: { operand: 'list', dataTypes: DATA_TYPES, sentence: 'equal to a value in the list' },
  like: {
    operand: 'pattern',
    dataTypes: ['string', 'array of string'],
    sentence: 'matched by the pattern, in which `*` stands for any run of characters',
  },
  ilike: {
    operand: 'pattern',
    dataTypes: ['string'],
    sentence: 'matched by the pattern, ignoring case',
  },
};

export function isOperator(name: string): name is Operator {
  return (OPERATOR_NAMES as readonly string[]).includes(name);
}

/** The operators that fit a column of the type, in the order of the table. */
export function operatorsOf(dataType: DataType): Operator[] {
  return OPERATOR_NAMES.filter((name) => OPERATORS[name].dataTypes.includes(dataType));
}
