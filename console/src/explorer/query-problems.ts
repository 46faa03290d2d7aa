/** Mistakes of a query: those of typing are found here, others by the service as it estimates. */
import type { Problem } from '@ticklake/client';
import { messagesByField } from '../api/client';
import { areRoots, type DatasetShape, identifierColumns } from './dataset-shape';
import { type ExplorerQuery, isUnfinished } from './explorer-query';
import type { ExplorerRequest, FieldName } from './explorer-request';

export type FieldProblems = Readonly<Partial<Record<FieldName | '', string>>>;

/** Stands for the last trade date that there is. */
export const LATEST = 'latest';

const DATE_EXPECTED = 'Must be a date, such as 2026-11-18';

/** A day of the calendar, in the years that the service knows. */
function isDate(text: string): boolean {
  if (!/^(19|20|21)\d\d-\d\d-\d\d$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function identifierProblem(identifier: string): string | null {
  if (/\p{Cc}/u.test(identifier)) return 'Must not contain control characters';
  // Browsers and proxies take these for steps of the path.
  return /^\.{1,2}$/.test(identifier) ? 'Not a valid identifier' : null;
}

function rangeProblem({ from, to }: ExplorerQuery): string | null {
  return isDate(from) && isDate(to) && to < from ? 'Must not be before the first date' : null;
}

function dateProblem(date: string): string | null {
  return date === '' || isDate(date) ? null : DATE_EXPECTED;
}

function wrongFields(query: ExplorerQuery, shape: DatasetShape) {
  const hasDate = shape.path_parameters.includes('trade_date');
  return {
    date: hasDate && query.date !== LATEST ? dateProblem(query.date) : null,
    identifier: identifierProblem(query.identifier.trim()) ?? rootProblem(query, shape),
    from: hasDate ? null : dateProblem(query.from),
    to: hasDate ? null : (dateProblem(query.to) ?? rangeProblem(query)),
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
      query.filters.map((filter, index) => {
        if (filter.column === '') return [`filter-${index}`, 'Choose a column'];
        return [`filter-${index}`, isUnfinished(filter) ? 'Enter a value' : null];
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

/** A field that is `missing` is told only when the query is run. */
export function queryProblems(query: ExplorerQuery, shape: DatasetShape) {
  return {
    wrong: onlyProblems(wrongFields(query, shape)),
    missing: onlyProblems(missingFields(query, shape)),
  };
}

export function hasProblems(problems: FieldProblems): boolean {
  return Object.keys(problems).length > 0;
}

const PATH_FIELDS: Readonly<Record<string, FieldName>> = {
  trade_date: 'date',
  identifier: 'identifier',
};

function columnOf(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1 ? name : name.slice(0, dot);
}

function fieldOf(
  problem: Problem,
  request: ExplorerRequest,
  hasIdentifier: boolean,
): FieldName | '' {
  const [place, name = ''] = problem.loc;
  if (place === 'path') return PATH_FIELDS[name] ?? '';
  const named = request.parameters.filter((parameter) => parameter.name === name);
  // Two filters may have the same column and operator; the value tells which one is meant.
  const meant = named.find(({ value }) => value === problem.input) ?? named[0];
  if (meant) return meant.field ?? '';
  const ofColumn = request.parameters.find((parameter) => columnOf(parameter.name) === name);
  if (ofColumn) return ofColumn.field ?? '';
  return problem.type === 'missing' && hasIdentifier ? 'identifier' : '';
}

/** Messages by field, '' for none. `hasIdentifier`: the form has a field for a required column. */
export function refusedFields(
  error: unknown,
  request: ExplorerRequest,
  hasIdentifier: boolean,
): FieldProblems {
  return messagesByField(error, (problem) => [
    fieldOf(problem, request, hasIdentifier),
    problem.msg,
  ]);
}

/** Fields of a query that are not in its line are in panels, which are opened one by one. */
export type PanelName = 'filters' | 'columns' | 'sort' | 'more';

/** How many choices of each panel are set. */
export function choicesSet(query: ExplorerQuery): Readonly<Record<PanelName, number>> {
  const { filters, columns, sort, period, version } = query;
  const more = [period, version].filter((text) => text !== '').length;
  return { filters: filters.length, columns: columns.length, sort: sort.length, more };
}

const PANELS: Readonly<Record<string, PanelName>> = {
  filter: 'filters',
  columns: 'columns',
  sort: 'sort',
  period: 'more',
  version: 'more',
};

/** The panels with a problem, which has to be seen. */
export function panelsWithProblems(problems: FieldProblems): readonly PanelName[] {
  const panels = Object.keys(problems).flatMap((field) => PANELS[field.split('-')[0]!] ?? []);
  return [...new Set(panels)];
}
