/** The symbols of instruments, by a vendor's definition files, as DBN or CSV. */
import { basename } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { UsageError } from '../base/errors.ts';
import { RECORD_BYTES_MAX } from '../engine/file-loading.ts';
import { fieldsOfRecord } from './csv-scanner.ts';
import type { DefinedSymbols } from './dbn-text.ts';
import { namedFailure, type SourceFile } from './load-sources.ts';
import type { SourceDigest } from './source-bytes.ts';
import { openSources } from './source-files.ts';

/** One takes up to 300 bytes of the heap, of which half is for all else. A map has 2^24 entries. */
const DEFINITIONS_MAX = Math.min(2 ** 24, Math.floor(getHeapStatistics().heap_size_limit / 600));
const FIELDS = ['ts_recv', 'instrument_id', 'raw_symbol', 'security_update_action'] as const;
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{9})Z$/;
const DAY_SECONDS = 86_400;
const DELETED = 'D';
const FILE_NAME = /^(.+?)-\d{8}.*\.definition\./i;

interface Use {
  /** In nanoseconds of the day. */
  readonly from: number;
  /** The last time at which it was said. */
  until: number;
  /** Null: the instrument was deleted. */
  readonly symbol: string | null;
}

interface Definition extends Pick<Use, 'from' | 'symbol'> {
  readonly id: number;
  /** Since 1970, in UTC. */
  readonly day: number;
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

async function* definitionsIn(source: SourceFile): AsyncGenerator<Definition> {
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
    const [, toSecond, nanos] = TIME.exec(time) ?? [];
    const second = Date.parse(`${toSecond}Z`) / 1000;
    if (Number.isNaN(second) || !(/^\d{1,10}$/.test(id) && symbol && action)) {
      throw new UsageError(`line ${lineNumber} is no definition with a readable time: ${line}`);
    }
    yield {
      id: Number(id),
      day: Math.floor(second / DAY_SECONDS),
      from: (second % DAY_SECONDS) * 1_000_000_000 + Number(nanos),
      symbol: action === DELETED ? null : symbol,
    };
  }
}

/** As file names have it. */
const datasetOf = (name: string) => name.toLowerCase().replaceAll('.', '-');

/** By dataset, day and id, as ids are unique within a day only; uses in the order of time. */
class SymbolTable {
  readonly #datasets = new Map<string, Map<number, Map<number, Use[]>>>();
  /** Parts of lines would keep the lines. */
  readonly #copies = new Map<string, string>();
  readonly #usesMax: number;
  #useCount = 0;

  constructor(usesMax: number) {
    this.#usesMax = usesMax;
  }

  /** Keeps no repetition, so that a definition between two which differs from them is refused. */
  add(dataset: string, { id, day, from, symbol }: Definition): void {
    const days = this.#datasets.getOrInsertComputed(dataset, () => new Map());
    const ids: Map<number, Use[]> = days.getOrInsertComputed(day, () => new Map());
    const uses = ids.get(id) ?? [];
    const [first, last] = [uses[0], uses.at(-1)];
    const isLast = !last || from >= last.until;
    if (isLast && last?.symbol === symbol) last.until = from;
    else if (isLast || (first && from < first.from)) {
      this.#useCount += 1;
      if (this.#useCount > this.#usesMax) throw new UsageError(`over ${this.#usesMax} symbols`);
      const use = { from, until: from, symbol: symbol && this.#copyOf(symbol) };
      // A list that is made of one is smaller than one that it is added to.
      if (!last) ids.set(id, [use]);
      else uses.splice(isLast ? uses.length : 0, 0, use);
    } else if (uses.findLast((use) => use.from <= from)?.symbol !== symbol) {
      throw new UsageError(`the definitions of instrument id ${id} are not in the order of time`);
    }
  }

  /** The last one before a time counts, and all up to the other. */
  readonly symbols: DefinedSymbols = (name) => {
    const dataset = datasetOf(name);
    const days = this.#datasets.get(dataset);
    return (id, day, from, to) => {
      if (!days) {
        const known = [...this.#datasets.keys()].join(', ') || 'no dataset';
        throw new UsageError(`it is of ${dataset}, but the definitions of ${known}`);
      }
      const uses = days.get(day)?.get(id) ?? [];
      return uses.flatMap((use, n) => {
        const isThen = use.from <= to && from < (uses[n + 1]?.from ?? Infinity);
        return (isThen && use.symbol) || [];
      });
    };
  };

  #copyOf(symbol: string): string {
    const copy = this.#copies.get(symbol) ?? Buffer.from(symbol).toString();
    this.#copies.set(copy, copy);
    return copy;
  }
}

interface FileSymbols {
  readonly symbols: DefinedSymbols | undefined;
  readonly sources: readonly SourceDigest[];
}

/** The last files are often asked for again, by each file of a watched folder. */
let last: { mark: string; symbols: WeakRef<DefinedSymbols>; sources: SourceDigest[] } | null = null;

/** Reads definition files. Rejects with a `UsageError`. */
export async function definedSymbols(
  files: readonly string[] | undefined,
  signal: AbortSignal,
  usesMax = DEFINITIONS_MAX,
): Promise<FileSymbols> {
  if (!files || files.length === 0) return { symbols: undefined, sources: [] };
  let dataset: string | undefined;
  const symbols: DefinedSymbols = (name) => {
    dataset = datasetOf(name);
    return () => [];
  };
  const sources = openSources(files, { signal, stdin: null, spool: null, symbols, onShare() {} });
  const { mark } = sources;
  const known = last?.mark === mark ? last.symbols.deref() : undefined;
  if (last && known) return { symbols: known, sources: last.sources };
  const table = new SymbolTable(usesMax);
  for await (const source of sources.files()) {
    const { displayName } = source;
    // If the file is DBN, its metadata name the dataset.
    dataset = FILE_NAME.exec(basename(displayName))?.[1]?.toLowerCase();
    try {
      for await (const definition of definitionsIn(source)) {
        if (dataset === undefined) {
          const form = 'glbx-mdp3-20240310.definition.csv.zst';
          throw new UsageError(`CSV of definitions has the vendor's names, such as ${form}`);
        }
        table.add(dataset, definition);
      }
    } catch (error) {
      throw namedFailure(displayName, error);
    }
  }
  const found = { symbols: table.symbols, sources: await sources.digests() };
  last = mark === null ? null : { ...found, mark, symbols: new WeakRef(found.symbols) };
  return found;
}
