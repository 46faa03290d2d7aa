/**
 * Plans a request of the shipped catalogue for a dataset without partitions, from its path:
 * `group/segment/…?query`.
 */
import { join } from 'node:path';
import { expect } from 'vitest';
import { ApiError, type Problem } from '../src/base/errors.ts';
import { loadCatalog } from '../src/catalog/load-catalog.ts';
import type { Predicate, QueryPlan } from '../src/engine/query-plan.ts';
import type { DatasetSnapshot } from '../src/lake/snapshots.ts';
import { questionOf } from '../src/plan/plan-query.ts';
import { NOTHING_PUBLISHED } from '../src/plan/prune.ts';
import { chooseDataset, parseDataRequest } from '../src/request/data-request.ts';
import { DEFAULT_DATA_REQUEST_LIMITS } from '../src/request/settings.ts';
import type { RuleTerms } from '../src/store/access-rules.ts';

const catalog = loadCatalog([join(import.meta.dirname, '../../datasets')]);
const OPEN: RuleTerms = { startDate: '1900-01-01', endDate: '2199-12-31', universe: [] };
/** An evening in America. */
const TODAY = { market: '2026-11-20', utc: '2026-11-21' };
const LAST = '2026-11-18';

function emptySnapshot(datasetId: string): DatasetSnapshot {
  return {
    datasetId,
    version: 7,
    publishedAt: '2026-11-19T00:00:00Z',
    vendor: 'Synthetic',
    rowCount: 0,
    byteCount: 0,
    firstDate: '2016-01-04',
    lastDate: LAST,
    parts: [],
    rowGroups: async () => [],
    identifierOrders: async () => [],
  };
}

/** The limits of a rule; every date and identifier where it says nothing. */
type AnyRules = Partial<RuleTerms> | readonly Partial<RuleTerms>[];

function allRules(rules: AnyRules): RuleTerms[] {
  return [rules].flat().map((rule) => ({ ...OPEN, ...rule }));
}

export function planOfPath(path: string, rules: AnyRules = {}, isPublished = true): QueryPlan {
  const [address = '', queryString = ''] = path.split('?');
  const [group = '', segment = '', ...pathParameters] = address.split('/');
  const input = { group, segment, pathParameters, queryString };
  const request = parseDataRequest(input, DEFAULT_DATA_REQUEST_LIMITS);
  const dataset = chooseDataset(request, catalog);
  const snapshot = isPublished ? emptySnapshot(dataset.datasetId) : null;
  const question = questionOf({ request, dataset, snapshot, rules: allRules(rules), today: TODAY });
  return { ...question, version: snapshot?.version ?? null, ...NOTHING_PUBLISHED };
}

/** The error that planning throws. */
export function errorOf(path: string, rules: AnyRules = {}): ApiError {
  try {
    planOfPath(path, rules);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`${path} was planned`);
}

/** The entries of what planning finds invalid. */
export function problemsOf(path: string, rules: AnyRules = {}): readonly Problem[] {
  const { kind, detail } = errorOf(path, rules);
  expect(kind).toBe('invalid');
  return detail as readonly Problem[];
}

export function textOf(predicate: Predicate): string {
  const operand =
    'pattern' in predicate
      ? predicate.pattern
      : 'values' in predicate
        ? predicate.values.join('|')
        : predicate.value;
  return `${predicate.column.name} ${predicate.operator} ${operand}`;
}

export function predicatesOf(path: string, rules: AnyRules = {}, isPublished = true): string[] {
  return planOfPath(path, rules, isPublished).predicates.map(textOf);
}

export const TICKS = 'us-equity/eq-taq/2026-11-18';
export const MINUTES = 'us-equity/eq-taq-1min-ext/AAPL';
export const DAILY = 'us-equity/eq-daily-ohlc';
export const NO_PERIOD = 'us-equity-ref/eq-adj-factors-basic';
