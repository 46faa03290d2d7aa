/** Finds mistakes in a query before it is sent; what the service says of values is shown beside them. */
import type { DatasetShape } from './dataset-shape';
import { areRoots, columnsOfPath, hasPeriod, identifierColumns } from './dataset-shape';
import type { ExplorerQuery, FilterRow } from './explorer-query';
import type { FieldName } from './explorer-request';
import { OPERATORS } from './operators';

export type FieldProblems = Readonly<Partial<Record<FieldName | '', string>>>;

interface QueryProblems {
  /** Wrong as it stands. */
  readonly wrong: FieldProblems;
  /** Not there yet; said when the query is run. */
  readonly missing: FieldProblems;
}

const PERIOD = /^[1-9]\d{0,3}[YWD]$/;
const VERSION = /^[1-9]\d{0,14}$/;
const DATE_EXPECTED = 'Must be a date, such as 2026-11-18';

/** Whether a text is a day of the calendar. */
function isDate(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) && text.length === 10;
}

function filterProblem(filter: FilterRow, shape: DatasetShape, identifier: string): string | null {
  const column = shape.columns.find(({ name }) => name === filter.column);
  if (!column) return `The dataset has no column ‘${filter.column}’`;
  if (columnsOfPath(shape, identifier).includes(column.name)) {
    return 'The path sets this column, so it cannot be filtered';
  }
  if (!column.operators.includes(filter.operator)) {
    return `‘${OPERATORS[filter.operator].label}’ cannot be used on this type of column`;
  }
  return null;
}

function identifierProblem(identifier: string): string | null {
  // Browsers and proxies take these for steps of the path.
  return /^\.{1,2}$/.test(identifier) ? 'Not a valid identifier' : null;
}

function unknownColumns(names: readonly string[], shape: DatasetShape): string | null {
  const unknown = names.filter((name) => !shape.columns.some((column) => column.name === name));
  return unknown.length === 0 ? null : `The dataset does not have: ${unknown.join(', ')}`;
}

function sortProblem({ sort }: ExplorerQuery, shape: DatasetShape): string | null {
  const names = sort.map(({ column }) => column).filter(Boolean);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated) return `‘${repeated}’ can be used only once`;
  return unknownColumns(names, shape);
}

function rangeProblem({ from, to }: ExplorerQuery): string | null {
  return isDate(from) && isDate(to) && to < from ? 'Must not be before the first date' : null;
}

function dateProblem(date: string): string | null {
  return date === '' || isDate(date) ? null : DATE_EXPECTED;
}

function wrongFields(query: ExplorerQuery, shape: DatasetShape) {
  const { period, filters } = query;
  const hasDate = shape.path_parameters.includes('trade_date');
  return {
    date: hasDate ? dateProblem(query.date) : null,
    identifier: identifierProblem(query.identifier.trim()) ?? rootProblem(query, shape),
    from: hasDate ? null : dateProblem(query.from),
    to: hasDate ? null : (dateProblem(query.to) ?? rangeProblem(query)),
    period:
      !hasPeriod(shape) || period === '' || PERIOD.test(period)
        ? null
        : 'Must be a number followed by Y, W or D, such as 5Y',
    version:
      query.version === '' || VERSION.test(query.version)
        ? null
        : 'Must be the number of a version, such as 12',
    columns: unknownColumns(query.columns, shape),
    sort: sortProblem(query, shape),
    ...Object.fromEntries(
      filters.map((filter, index) => [
        `filter-${index}`,
        filter.column === '' ? null : filterProblem(filter, shape, query.identifier),
      ]),
    ),
  };
}

function needsIdentifier({ filters }: ExplorerQuery, shape: DatasetShape): boolean {
  if (shape.path_parameters.includes('identifier')) return true;
  if (identifierColumns(shape) === null) return false;
  return !shape.required_filters.every((names) =>
    filters.some(
      ({ column, operator, value }) =>
        names.includes(column) && value !== '' && (operator === 'eq' || operator === 'in'),
    ),
  );
}

function missingIdentifier({ root_column: root }: DatasetShape): string {
  return root === null ? 'Enter an identifier' : 'Enter a contract or a root, such as ESZ6 or ES';
}

/** A request names contracts or roots: each is a column of its own. */
function rootProblem(query: ExplorerQuery, shape: DatasetShape): string | null {
  const identifiers = query.identifier.split(',').map((text) => text.trim());
  const roots = identifiers.filter((each) => areRoots(shape, [each]));
  // Until it was asked for, what is in lower case may be either.
  const contracts = identifiers.filter((each) => !areRoots(shape, [each.toUpperCase()]));
  return roots.length > 0 && contracts.length > 0
    ? `Enter contracts or roots, not both; ${roots[0]} is a root`
    : null;
}

function missingFields(query: ExplorerQuery, shape: DatasetShape) {
  const hasDate = shape.path_parameters.includes('trade_date');
  const missesIdentifier = query.identifier.trim() === '' && needsIdentifier(query, shape);
  return {
    date: hasDate && query.date === '' ? 'Enter a trade date' : null,
    identifier: missesIdentifier ? missingIdentifier(shape) : null,
    ...Object.fromEntries(
      query.filters.map(({ column, value }, index) => {
        const type = shape.columns.find(({ name }) => name === column)?.data_type;
        const isTextual = type === 'string' || type === 'array of string';
        if (column === '') return [`filter-${index}`, 'Choose a column'];
        return [`filter-${index}`, value === '' && !isTextual ? 'Enter a value' : null];
      }),
    ),
  };
}

function onlyProblems(messages: Readonly<Record<string, string | null>>): FieldProblems {
  return Object.fromEntries(
    Object.entries(messages).flatMap(([field, message]) =>
      message === null ? [] : [[field, message]],
    ),
  );
}

export function queryProblems(query: ExplorerQuery, shape: DatasetShape): QueryProblems {
  return {
    wrong: onlyProblems(wrongFields(query, shape)),
    missing: onlyProblems(missingFields(query, shape)),
  };
}

export function hasProblems(problems: FieldProblems): boolean {
  return Object.keys(problems).length > 0;
}
