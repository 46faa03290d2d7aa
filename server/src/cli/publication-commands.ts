/** `ticklake publication …`: made from the table of operations on the lake. */
import { type LakeOperation, runOnLake } from '../admin/lake-operation.ts';
import { valuesOf } from '../admin/operation.ts';
import { LAKE_OPERATIONS } from '../admin/operations.ts';
import type {
  PRUNING,
  PUBLICATION_DIFF,
  PUBLICATION_PAGE,
  PUBLICATION_RECORD,
  WITHDRAWAL,
} from '../admin/publication-readings.ts';
import { LOCAL_SOURCE, localActor } from '../base/local-actor.ts';
import { counted, printableLine } from '../base/printable.ts';
import type { PreviewReport } from '../ingest/preview-files.ts';
import { type PartitionComparison, shownOf } from '../lake/losses.ts';
import { openCatalog } from '../open-services.ts';
import type { Answer } from '../schema/answer.ts';
import { type Command, EXIT } from './command.ts';
import { openHome } from './opened-home.ts';
import { commandOptions, inputOf, usageError } from './operation-options.ts';
import { coverageText } from './state-commands.ts';
import {
  alignedTable,
  badRowLines,
  checkLines,
  countText,
  factsText,
  left,
  linesText,
  right,
  rowsText,
  withAdvice,
} from './text.ts';

/** Further ones are counted. */
const PARTITIONS_SHOWN = 20;

function vanishText(what: string, count: number, shown: readonly string[]): string {
  return count === 0 ? '' : `; ${counted(count, what)} would vanish: ${shownOf(shown, count)}`;
}

function lostText(lost: PartitionComparison): string {
  const { lostDateCount, lostDates, lostIdentifierCount, lostIdentifiers } = lost;
  const dates = vanishText('date', lostDateCount, lostDates);
  return `${dates}${vanishText('identifier', lostIdentifierCount, lostIdentifiers)}`;
}

function partitionLine(partition: PartitionComparison): string {
  const { key, rowCountBefore, rowCountAfter } = partition;
  const was = rowCountBefore === 0 ? ', new' : ` in place of ${countText(rowCountBefore)}`;
  return `  ${key}: ${counted(rowCountAfter, 'row')}${was}${lostText(partition)}`;
}

function endLine({ refusal, allowedBy, rowCount, isUnchanged }: PreviewReport): string {
  if (refusal !== null) return `this would be refused: ${withAdvice(refusal, allowedBy)}`;
  if (isUnchanged) return 'nothing would change: the dataset has these rows already';
  return rowCount === 0 ? 'there is nothing to publish' : 'this would be published';
}

export function previewText(report: PreviewReport): string {
  const { datasetId, textId, partitions } = report;
  const restCount = partitions.length - PARTITIONS_SHOWN;
  const lines = [
    ...badRowLines(report),
    ...checkLines(report.checks),
    `${datasetId} ${textId}: ${rowsText(report)}`,
    ...partitions.slice(0, PARTITIONS_SHOWN).map(partitionLine),
    ...(restCount > 0 ? [`  and ${counted(restCount, 'other partition')}`] : []),
    endLine(report),
  ];
  return linesText(lines);
}

export function previewExitCode({ refusal, rowCount, isUnchanged }: PreviewReport) {
  if (refusal !== null) return EXIT.refused;
  return rowCount === 0 || isUnchanged ? EXIT.nothingToDo : EXIT.done;
}

type PublicationRecord = Answer<typeof PUBLICATION_RECORD>;
type Page = Answer<typeof PUBLICATION_PAGE>;
type Summary = Page['data'][number];
type Diff = Answer<typeof PUBLICATION_DIFF>;
type Pruning = Answer<typeof PRUNING>;

/** More names of datasets than these are only counted. */
const NAMED_MAX = 3;
const DIGEST_CHARACTERS = 12;

const signed = (value: number) => `${value > 0 ? '+' : ''}${countText(value)}`;
const text = (value: string | null) => (value === null ? '-' : printableLine(value));

function rowChange({ datasets }: Summary): number {
  return datasets.reduce((sum, each) => sum + each.row_count_after - each.row_count_before, 0);
}

function datasetNames({ datasets }: Summary): string {
  const names = datasets.slice(0, NAMED_MAX).map((each) => each.dataset_id);
  const others = datasets.length - names.length;
  return `${names.join(',')}${others > 0 ? ` and ${others} more` : ''}` || '-';
}

const LIST_TABLE = [
  ...[right('ID'), left('STATE'), left('KIND'), left('DATASETS'), right('ROWS')],
  ...[left('STARTED'), left('WHO'), left('REASON')],
];

function listText({ data, pagination }: Page): string {
  if (data.length === 0) return 'There are no such publications.\n';
  const rows = data.map((each) => [
    ...[`${each.publication_id}`, each.is_open ? 'open' : each.state, each.kind],
    ...[datasetNames(each), signed(rowChange(each)), each.started_at],
    ...[text(each.actor), text(each.reason ?? each.message)],
  ]);
  const { next_before: before } = pagination;
  const more = before === null ? [] : [`Older ones: --before ${before}`];
  return `${alignedTable(LIST_TABLE, rows)}${linesText(more)}`;
}

const FACTS: readonly (readonly [title: string, of: (record: PublicationRecord) => string])[] = [
  ['publication', ({ publication_id: id }) => `${id}`],
  ['state', ({ state, is_open: isOpen }) => (isOpen ? 'open: waiting to be committed' : state)],
  ['kind', ({ kind, command }) => `${kind} by ${command}`],
  ['who', ({ actor }) => text(actor)],
  ['started', ({ started_at: at }) => at],
  ['finished', ({ finished_at: at }) => text(at)],
  ['reason', ({ reason }) => text(reason)],
  ['vendor', ({ vendor }) => text(vendor)],
  ['message', ({ message }) => text(message)],
];

const DATASET_TABLE = [
  ...[left('DATASET'), right('VERSION'), right('ADDED'), right('REPLACED'), right('REMOVED')],
  ...[right('ROWS BEFORE'), right('ROWS NOW'), left('CONTENT DIGEST'), left('ROLLED BACK BY')],
];

function datasetsText({ datasets }: PublicationRecord): string {
  const rows = datasets.map((each) => [
    ...[each.dataset_id, countText(each.version)],
    ...[countText(each.added_partition_count), countText(each.replaced_partition_count)],
    ...[countText(each.removed_partition_count), countText(each.row_count_before)],
    ...[
      countText(each.row_count_after),
      text(each.content_digest),
      `${each.rolled_back_by ?? '-'}`,
    ],
  ]);
  return rows.length === 0 ? '' : `\n${alignedTable(DATASET_TABLE, rows)}`;
}

const SOURCE_TABLE = [left('DATASET'), left('SOURCE'), right('BYTES'), left('SHA-256')];
const DERIVED_TABLE = [...SOURCE_TABLE, left('COMPUTED BY')];

/** `equity_trade_bars, rule 1, of US1001 version 3`. */
function derivationText({ derivation }: PublicationRecord['sources'][number]): string {
  if (!derivation) return '';
  const inputs = derivation.inputs.map(
    ({ dataset_id: id, dataset_version: version }) => id + (version ? ` version ${version}` : ''),
  );
  return `${derivation.computation}, rule ${derivation.rule_version}, of ${inputs.join(', ')}`;
}

function sourcesText({ sources, source_count: count }: PublicationRecord): string {
  if (count === 0) return '';
  const isDerived = sources.some(({ derivation }) => derivation !== null);
  const rows = sources.map((each) => [
    ...[each.dataset_id, text(each.name), countText(each.byte_count), each.sha256],
    ...(isDerived ? [derivationText(each)] : []),
  ]);
  const others = count - sources.length;
  const more = others > 0 ? [`and ${counted(others, 'more source')}`] : [];
  return `\n${alignedTable(isDerived ? DERIVED_TABLE : SOURCE_TABLE, rows)}${linesText(more)}`;
}

function checksText({ checks }: PublicationRecord): string {
  if (checks.length === 0) return '';
  return `\n${linesText(
    checks.flatMap(({ dataset_id: id, name, severity, count, examples }) => [
      `${severity === 'refuse' ? 'refused' : 'warning'}: ${id} ${printableLine(name)}: ${countText(count)}`,
      ...examples.map((example) => `  ${printableLine(example)}`),
    ]),
  )}`;
}

function recordText(record: PublicationRecord): string {
  const facts = FACTS.map(([title, of]) => [title, of(record)] as const);
  const known = facts.filter(([, said]) => said !== '-');
  return `${factsText(known)}${datasetsText(record)}${sourcesText(record)}${checksText(record)}`;
}

const DIFF_TABLE = [
  ...[left('PARTITION'), left('CHANGE'), right('ROWS BEFORE'), right('ROWS NOW')],
  ...[right('BYTES BEFORE'), right('BYTES NOW'), left('DIGEST BEFORE'), left('DIGEST NOW')],
];

const digest = (totals: { readonly content_digest: string } | null) =>
  totals?.content_digest.slice(0, DIGEST_CHARACTERS) ?? '-';

function differenceText(each: Diff['datasets'][number]): string {
  const rows = each.partitions.map(({ key, change, before, after }) => [
    ...[key, change, countText(before?.row_count), countText(after?.row_count)],
    ...[countText(before?.byte_count), countText(after?.byte_count), digest(before), digest(after)],
  ]);
  const { dataset_id: id, from_version: from, to_version: to, partition_count: count } = each;
  const title = `${id}, version ${from} to ${to}: ${counted(count, 'partition')}`;
  const more = each.next_after === null ? [] : [`More: --after ${each.next_after}`];
  return `${linesText([title])}${rows.length === 0 ? '' : alignedTable(DIFF_TABLE, rows)}${linesText(more)}`;
}

function diffText({ datasets }: Diff): string {
  if (datasets.length === 0) return 'It published nothing.\n';
  return datasets.map(differenceText).join('\n');
}

/** The result of a change, one line for each dataset. */
function doneText(record: PublicationRecord): string {
  const { publication_id: id, datasets, state, message } = record;
  if (record.is_open) {
    const names = datasets.map((each) => each.dataset_id).join(', ');
    return linesText([
      `Publication ${id} is open for ${names}; commit it with ticklake publication commit ${id}.`,
    ]);
  }
  const made = datasets.filter(({ version }) => version !== null);
  if (made.length === 0) {
    return linesText([`Publication ${id} has ended as ${state}: ${text(message)}`]);
  }
  const said = made.map((each) => {
    const { added_partition_count: added, replaced_partition_count: replaced } = each;
    const changed = counted(added + replaced + each.removed_partition_count, 'partition');
    const rows = `${counted(each.row_count_after, 'row')} in place of`;
    return `${each.dataset_id}: version ${each.version}, ${changed}: ${rows} ${countText(each.row_count_before)}`;
  });
  return linesText([`Publication ${id}:`, ...said.map((line) => `  ${line}`)]);
}

function withdrawalText(withdrawal: Answer<typeof WITHDRAWAL>): string {
  const { is_dry_run: isDryRun, removed_row_count: rows, partitions, publication } = withdrawal;
  if (partitions.length === 0) return 'Nothing to withdraw: there are no such rows.\n';
  const what = `${counted(rows, 'row')} in ${counted(partitions.length, 'partition')}`;
  if (publication.is_open) {
    return `${what} will go when publication ${publication.publication_id} is committed.\n`;
  }
  if (!isDryRun) return doneText(publication);
  return linesText([
    `Dry run: ${what} would go, and nothing has.`,
    ...partitions.map((key) => `  ${key}`),
  ]);
}

const PRUNE_TABLE = [
  left('DATASET'),
  right('VERSIONS'),
  right('FROM'),
  right('TO'),
  right('BYTES'),
];

function pruningText({ is_dry_run: isDryRun, datasets, byte_count: byteCount }: Pruning): string {
  if (datasets.length === 0) return 'Nothing to prune: retention keeps every version.\n';
  const rows = datasets.map(({ dataset_id: id, versions, byte_count: bytes }) => [
    ...[id, countText(versions.length), `${Math.min(...versions)}`, `${Math.max(...versions)}`],
    countText(bytes),
  ]);
  const said = isDryRun
    ? `Dry run: ${counted(byteCount, 'byte')} would go, and nothing has.`
    : `${counted(byteCount, 'byte')} are dropped; their files go when no query reads them any more.`;
  return `${alignedTable(PRUNE_TABLE, rows)}${linesText([said])}`;
}

const TEXTS: Readonly<Record<string, (answer: never) => string>> = {
  listPublicationRecords: listText,
  showPublicationRecord: recordText,
  diffPublication: diffText,
  withdrawRows: withdrawalText,
  pruneVersions: pruningText,
  showCoverageOfAll: coverageText,
};

/** The answer of an operation, by its name. */
function publicationText(operation: string, answer: unknown): string {
  return (TEXTS[operation] ?? doneText)(answer as never);
}

/** The arguments of the commands that have some, in help, and the options that they stand for. */
const ARGUMENTS: Readonly<Record<string, Pick<Command, 'usage' | 'argumentOptions'>>> = {
  showPublicationRecord: { usage: '<id>', argumentOptions: [['publication']] },
  diffPublication: {
    usage: '<id> | <dataset> <from version> <to version>',
    argumentOptions: [['publication'], ['dataset', 'from', 'to']],
  },
  rollBackPublication: { usage: '[<id>]', argumentOptions: [['publication']] },
  withdrawRows: { usage: '<dataset>', argumentOptions: [['dataset']] },
  beginPublication: { usage: '<dataset...>', argumentOptions: [['dataset']] },
  commitPublication: { usage: '<id>', argumentOptions: [['publication']] },
  abandonPublication: { usage: '<id>', argumentOptions: [['publication']] },
  acknowledgePublication: { usage: '<id>', argumentOptions: [['publication']] },
};

function commandOf(operation: LakeOperation): Command {
  const { name, words, summary } = operation;
  return {
    ...{ name: words, summary, ...(ARGUMENTS[name] ?? { usage: '' }) },
    options: commandOptions(operation),
    run: async (context, given) => {
      const { config, clock, signal, onWait } = context;
      const reading = { catalog: openCatalog(config.home), nowMs: clock.now() };
      try {
        const asked = valuesOf(operation, reading, inputOf(operation, given));
        const { store, lake } = await openHome(context);
        const by = { lake, policy: config, actor: localActor(), onWait, signal };
        const audited = { ...reading, ...by, store, source: LOCAL_SOURCE };
        const done = await runOnLake(operation, audited, asked);
        const exitCode = done.hasEffect ? EXIT.done : EXIT.nothingToDo;
        return { value: done.answer, text: publicationText(name, done.answer), exitCode };
      } catch (error) {
        throw usageError(operation, error);
      }
    },
  };
}

export const PUBLICATION_COMMANDS: readonly Command[] = LAKE_OPERATIONS.map(commandOf);
