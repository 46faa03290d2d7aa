/** By which rules the rows of a dataset are computed, as everybody may know them. */
import { type AdjustedKind, adjustedKindOf } from '@ticklake/market/adjustment.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import {
  COMPUTATION_MEANINGS,
  type ComputationName,
  type ConditionKind,
  type DerivationWay,
} from '../catalog/derivation.ts';
import { COMPUTATIONS } from './computations.ts';

interface RuleInput {
  /** The role of the rows in the computation. */
  readonly role: string;
  readonly dataset: Dataset;
}

export interface DatasetRule {
  readonly computation: ComputationName;
  readonly meaning: string;
  readonly ruleVersion: number;
  readonly inputs: readonly RuleInput[];
  readonly parameters: Readonly<Record<string, number>>;
}

/** The rule, and the one for dates on which its first input has no part; null: there is none. */
export interface DatasetRules extends DatasetRule {
  readonly otherwise: DatasetRule | null;
}

function ruleOfWay(catalog: Catalog, way: DerivationWay): DatasetRule {
  const { computation, parameters = {} } = way;
  const { sentence, inputs: roles } = COMPUTATION_MEANINGS[computation];
  const inputs = way.inputs.map((textId, i) => ({
    role: roles[i] as string,
    dataset: catalog.byTextId(textId) as Dataset,
  }));
  const { ruleVersion } = COMPUTATIONS[computation];
  return { computation, meaning: sentence, ruleVersion, inputs, parameters };
}

/** Null for a dataset whose rows are loaded. */
export function rulesOf(catalog: Catalog, { derivation }: Dataset): DatasetRules | null {
  if (!derivation) return null;
  const { otherwise } = derivation;
  return {
    ...ruleOfWay(catalog, derivation),
    otherwise: otherwise ? ruleOfWay(catalog, otherwise) : null,
  };
}

interface AdjustedColumn {
  readonly name: string;
  readonly kind: AdjustedKind;
}

/** The columns that adjustment factors restate; none of rows that are not adjusted. */
export function adjustedColumnsOf({ derivation, columns }: Dataset): AdjustedColumn[] {
  if (derivation?.computation !== 'adjusted_rows') return [];
  return columns.flatMap(({ name }) => {
    const kind = adjustedKindOf(name);
    return kind === null ? [] : [{ name, kind }];
  });
}

function ownConditionKinds({ derivation }: Dataset): readonly ConditionKind[] {
  return (derivation && COMPUTATION_MEANINGS[derivation.computation].conditions) ?? [];
}

/** The dataset whose conditions those of the rows are. */
function conditionsSource(catalog: Catalog, { derivation }: Dataset): Dataset | undefined {
  if (!derivation || COMPUTATION_MEANINGS[derivation.computation].isSelection) return undefined;
  return catalog.byTextId(derivation.inputs[0] ?? '');
}

/**
 * The tables of conditions that decide over the rows of a dataset, over those that they come from,
 * or over those that are computed from them.
 */
export function conditionKindsOf(catalog: Catalog, dataset: Dataset): ReadonlySet<ConditionKind> {
  const computed = catalog.datasets.filter(
    ({ derivation }) => derivation?.inputs[0] === dataset.textId,
  );
  const source = conditionsSource(catalog, dataset);
  return new Set([
    ...[dataset, ...computed].flatMap(ownConditionKinds),
    ...(source ? conditionKindsOf(catalog, source) : []),
  ]);
}
