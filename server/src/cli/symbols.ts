/** `ticklake symbols assign`: assigns ASIDs to rows that vendors deliver without them. */
import { UsageError } from '../base/errors.ts';
import { counted, printableLine } from '../base/printable.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import {
  type Assignment,
  type AssignmentReport,
  asidText,
  assignableDatasets,
  assignIds,
  previewIds,
  SYMBOL_LOOKUP_ID,
} from '../derive/assign-ids.ts';
import { INSTALLED_ENGINE } from '../installed.ts';
import { openCatalog } from '../open-services.ts';
import { auditedLoad, datasetNamed } from './audited-ingest.ts';
import { type Command, type CommandContext, EXIT, flag, type OptionValues } from './command.ts';
import { DERIVE_OPTION, deriveFrom, derivesAfterLoads, thenDerive } from './derive.ts';
import { openHome } from './opened-home.ts';
import { linesText, rowsText } from './text.ts';

/** Further ones are counted. */
const SYMBOLS_SHOWN = 20;

function assignmentLines({ symbols, warnings }: Assignment): string[] {
  const more = symbols.length - SYMBOLS_SHOWN;
  return [
    ...warnings.map((text) => `warning: ${printableLine(text)}`),
    ...symbols.slice(0, SYMBOLS_SHOWN).map((symbol) => {
      const { ticker, firstDate, lastDate, rowCount } = symbol;
      const rows = `${counted(rowCount, 'row')} from ${firstDate} to ${lastDate}`;
      return `${printableLine(ticker)}: ${asidText(symbol)}, ${rows}`;
    }),
    ...(more > 0 ? [`and ${counted(more, 'more symbol')} (see --json)`] : []),
  ];
}

function reportText({ datasets, ...report }: AssignmentReport): string {
  const written = datasets.map((each) => `${each.datasetId} ${each.textId}: ${rowsText(each)}`);
  const end = report.reason === null ? written : [report.reason];
  return linesText([...assignmentLines(report), ...end]);
}

function previewText(assignment: Assignment): string {
  const isNone = assignment.symbols.length === 0;
  return linesText([
    ...assignmentLines(assignment),
    isNone ? 'no ASID was assigned' : 'Dry run: nothing was published.',
  ]);
}

const EXITS = {
  published: EXIT.done,
  staged: EXIT.done,
  unchanged: EXIT.nothingToDo,
  refused: EXIT.refused,
} as const;

/** All that have tickers, ASIDs and dates, unless some are named. */
function datasetsOf(catalog: Catalog, names: readonly string[]): Dataset[] {
  const legal = assignableDatasets(catalog);
  if (names.length === 0) return legal;
  const named = new Set(names.map((name) => datasetNamed(catalog, name)));
  const other = [...named].find((dataset) => !legal.includes(dataset));
  if (!other) return [...named];
  const textIds = legal.map(({ textId }) => textId).join(', ');
  throw new UsageError(`${other.textId} has no ticker, ASID and date; these have: ${textIds}`);
}

async function run(context: CommandContext, values: OptionValues, names: readonly string[]) {
  const { config, signal, onWait, closing } = context;
  const derives = derivesAfterLoads(values, config);
  const catalog = openCatalog(config.home);
  const datasets = datasetsOf(catalog, names);
  const { lake } = await openHome(context);
  const engine = closing(await INSTALLED_ENGINE.openReader(config));
  const request = {
    ...{ catalog, datasets, lake, engine, signal, onWait },
    corrects: values.correct === true,
  };
  if (values['dry-run'] === true) {
    const value = await previewIds(request);
    const exitCode = value.symbols.length === 0 ? EXIT.nothingToDo : EXIT.done;
    return { value, text: previewText(value), exitCode };
  }
  const audited = { operation: 'assignSymbols', datasetId: null, files: [], mode: 'replace' };
  const report = await auditedLoad(context, { ...audited, vendor: null }, () => assignIds(request));
  const assigned = { value: report, text: reportText(report), exitCode: EXITS[report.state] };
  const textIds = report.datasets.map(({ textId }) => textId);
  return await thenDerive(derives, assigned, () => deriveFrom(context, catalog, lake, textIds));
}

export const symbolsAssign: Command = {
  name: ['symbols', 'assign'],
  summary: 'assign ASIDs to rows that have none, by ticker and date',
  usage: '[<dataset...>]',
  options: {
    correct: flag(
      `also replace ASIDs that differ from those of ${SYMBOL_LOOKUP_ID} and of map files`,
    ),
    'dry-run': flag('show which rows would get which ASID, and publish nothing'),
    ...DERIVE_OPTION,
  },
  run,
};
