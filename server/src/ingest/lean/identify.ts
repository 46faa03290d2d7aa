/** Finds the securities of a folder's rows, and has the ledger number new ones. */
import type { Securities, Security } from '../../store/securities.ts';
import { assignNumbers, type Numbers } from './assign-numbers.ts';
import { lastFactorDate, tickerWithoutMap } from './factor-files.ts';
import { tickerOf } from './feed.ts';
import { Identities, TickerUses } from './identities.ts';
import { type Chain, contradictionsOf, readChains, separate } from './map-files.ts';
import type { DailyBar, FactorRow } from './records.ts';
import type { LeanFile, LeanFolder } from './scan-folder.ts';
import type { BadRows } from './text-source.ts';

export class Identification {
  /** As they would be if the ledger heard of the map files alone. */
  readonly expected: Identities;
  readonly #securities: Securities;
  readonly #chains: readonly Chain[];
  readonly #uses: TickerUses;

  private constructor(securities: Securities, chains: readonly Chain[], expected: Identities) {
    this.#securities = securities;
    this.#chains = chains;
    this.expected = expected;
    this.#uses = new TickerUses(expected);
  }

  static async of(folder: LeanFolder, securities: Securities): Promise<Identification> {
    const chains = await readChains(folder);
    const { securities: all } = assignNumbers(await securities.all(), separate(chains), []);
    return new Identification(securities, chains, new Identities(all));
  }

  /** Counts map files that contradict each other. */
  countContradictions(badRows: BadRows): void {
    for (const { fileName, error } of contradictionsOf(this.#chains)) {
      badRows.add(fileName, 1, error);
    }
  }

  /** Takes note of the ticker of records, and of their days. */
  note(file: LeanFile, records: readonly unknown[]): void {
    if (file.kind === 'factor files') this.#noteFactors(file, records as readonly FactorRow[]);
    else if (file.kind === 'equity daily bars') {
      for (const { date } of records as readonly DailyBar[]) this.#uses.add(tickerOf(file), date);
    } else if (file.kind.startsWith('equity')) this.#uses.add(tickerOf(file), file.date);
  }

  /** Assigns the numbers in the ledger, which keeps them whatever becomes of the rows. */
  async assign(): Promise<Numbers> {
    const chains = separate(this.#chains);
    const uses = this.#uses.list();
    const decide = (known: readonly Security[]) => assignNumbers(known, chains, uses);
    if (chains.length + uses.length === 0) return decide(await this.#securities.all());
    return await this.#securities.assign(decide);
  }

  #noteFactors(file: LeanFile, rows: readonly FactorRow[]): void {
    const lastDate = lastFactorDate(rows);
    if (lastDate === null || this.expected.ofHistory(file.symbol)) return;
    this.#uses.add(tickerWithoutMap(file), lastDate);
  }
}
