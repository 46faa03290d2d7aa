/**
 * Texts as parameters of a statement, for servers that know such. A statement has each text as the
 * hexadecimal of its bytes; outside of the statement it is hexadecimal still, so that nothing escapes it. Pure.
 */
import { TEXT_LITERAL } from './sql-values.ts';

export interface ParameterizedQuery {
  readonly query: string;
  readonly query_params: Readonly<Record<string, string>>;
}

/** Parameters travel in the address of a request, which has to be short: longer lists stay where they are. */
const PARAMETERS_MAX = 200;
const DIGITS_MAX = 16_384;

/** The first release that knows parameters. */
const FIRST_MAJOR = 20;

/** Whether a server of the version, such as `18.16.1`, knows parameters. */
export function knowsParameters(version: string): boolean {
  return Number.parseInt(version, 10) >= FIRST_MAJOR;
}

export function parameterized(sql: string): ParameterizedQuery {
  const literals = [...sql.matchAll(TEXT_LITERAL)].map(([literal]) => literal);
  const digitCount = literals.reduce((sum, literal) => sum + literal.length / 2, 0);
  if (literals.length > PARAMETERS_MAX || digitCount > DIGITS_MAX) {
    return { query: sql, query_params: {} };
  }
  const names = new Map([...new Set(literals)].map((literal, n) => [literal, `text${n}`]));
  const digitsOf = (literal: string) => literal.replaceAll(/'|\\x/g, '');
  return {
    query: sql.replaceAll(TEXT_LITERAL, (literal) => `unhex({${names.get(literal)}:String})`),
    query_params: Object.fromEntries(
      [...names].map(([literal, name]) => [name, digitsOf(literal)]),
    ),
  };
}
