/** The symbols of instruments, by a vendor's definition files, as DBN or CSV. */
import { basename } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { RECORD_BYTES_MAX } from '../engine/file-loading.ts';
import { fieldsOfRecord } from './csv-scanner.ts';
import type { DefinedSymbols } from './dbn-text.ts';
import { namedFailure, type SourceFile } from './load-sources.ts';
import { openSources } from './source-files.ts';

const DEFINITIONS_MAX = 20_000_000;
const FIELDS = ['ts_recv', 'instrument_id', 'raw_symbol', 'security_update_action'] as const;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/;
const DELETED = 'D';
const FILE_NAME = /^(.+?)-\d{8}.*\.definition\./;

/** The symbol of an instrument from a time on; null: it was deleted. */
interface Definition {
  readonly time: string;
  readonly symbol: string | null;
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > RECORD_BYTES_MAX) throw new UsageError('it has no lines');
    yield* lines;
  }
  if (rest) throw new UsageError('the last line has no end, so the file may be cut off');
}

async function* definitionsIn(source: SourceFile) {
  if (source.format !== 'csv') throw new UsageError('definitions are read from DBN or CSV');
  let places: readonly number[] | null = null;
  let lineNumber = 0;
  for await (const line of linesOf(source.open())) {
    lineNumber += 1;
    const fields = fieldsOfRecord(line.replace(/\r$/, ''));
    if (!places) {
      places = FIELDS.map((name) => fields.indexOf(name));
      if (!places.includes(-1)) continue;
      throw new UsageError(`definitions have the fields ${FIELDS.join(', ')}, with readable times`);
    }
    const [time = '', id = '', symbol = '', action = ''] = places.map((at) => fields[at]);
    if (!(TIME.test(time) && /^\d{1,10}$/.test(id) && symbol && action)) {
      throw new UsageError(`line ${lineNumber} is no definition with a readable time: ${line}`);
    }
    yield { id: Number(id), time, symbol: action === DELETED ? null : symbol };
  }
}

const before = (a: Definition, b: Definition) => Number(a.time > b.time) - Number(a.time < b.time);

/**
 * Reads definition files. Ids are unique within a day in UTC, so that definitions of another day do
 * not count, and the last one before a time does. No files: no
 * definitions. Rejects with a `UsageError`.
 */
export async function definedSymbols(
  files: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<DefinedSymbols | undefined> {
  if (!files || files.length === 0) return undefined;
  const datasets = new Set<string>();
  const byId = new Map<number, Definition[]>();
  let count = 0;
  const sources = openSources(files, { signal, stdin: null, spool: null, onShare: () => {} });
  for await (const source of sources.files()) {
    const { displayName } = source;
    try {
      const dataset = FILE_NAME.exec(basename(displayName))?.[1];
      if (dataset === undefined) {
        const form = 'glbx-mdp3-20240310.definition.dbn.zst';
        throw new UsageError(`definition files have the vendor's names, such as ${form}`);
      }
      datasets.add(dataset);
      for await (const { id, ...definition } of definitionsIn(source)) {
        count += 1;
        if (count > DEFINITIONS_MAX)
          throw new UsageError(`more than ${DEFINITIONS_MAX} definitions`);
        byId.getOrInsertComputed(id, () => []).push(definition);
      }
    } catch (error) {
      throw namedFailure(displayName, error);
    }
  }
  for (const definitions of byId.values()) definitions.sort(before);
  return (dataset, id, from, to) => {
    const name = dataset.toLowerCase().replaceAll('.', '-');
    if (!datasets.has(name) || datasets.size > 1) {
      throw new UsageError(`it is of ${name}, but the definitions of ${[...datasets].join(', ')}`);
    }
    const ofDay = (byId.get(id) ?? []).filter(
      ({ time }) => time <= to && time.slice(0, 10) === from.slice(0, 10),
    );
    const first = Math.max(
      0,
      ofDay.findLastIndex(({ time }) => time <= from),
    );
    return [...new Set(ofDay.slice(first).flatMap(({ symbol }) => symbol ?? []))];
  };
}
