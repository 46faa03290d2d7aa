/** A plain program that finds the rows lost when others take their place. */
import { keepsAll, type PartComparison, type RemovedRows, SHOWN_LOSSES } from '../engine.ts';

interface ComparedRow {
  readonly date: string | null;
  readonly identifier: string | null;
  /** All values of the row, as text. */
  readonly text: string;
}

/** Nulls last, as dates are read. */
const inOrder = (texts: Iterable<string | null>) =>
  [...new Set(texts)].sort((a, b) => ((a ?? '~') < (b ?? '~') ? -1 : 1));

function areAmong(added: readonly ComparedRow[], old: readonly ComparedRow[]): boolean {
  const left = old.map(({ text }) => text);
  return added.every(({ text }) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** `gone`: those of `old` that do not stay. */
export function comparedRows(
  old: readonly ComparedRow[],
  gone: readonly ComparedRow[],
  added: readonly ComparedRow[],
  removed: RemovedRows | null,
): PartComparison {
  const countOn = (rows: readonly ComparedRow[], date: string | null) =>
    rows.filter((row) => row.date === date).length;
  const addedDates = inOrder(added.map(({ date }) => date));
  const lostDates = inOrder(gone.map(({ date }) => date)).filter(
    (date) => date !== null && !addedDates.includes(date),
  ) as string[];
  const isLost = ({ date, identifier }: ComparedRow) =>
    identifier !== null &&
    addedDates.includes(date) &&
    !added.some((other) => other.date === date && other.identifier === identifier);
  const lost = gone.filter(isLost);
  const identifiers = inOrder(lost.map(({ identifier }) => identifier)) as string[];
  const onDates = lost.filter(({ identifier }) => identifier === identifiers[0]);
  const shrunk = inOrder([...addedDates, null])
    .map((date) => ({
      ...{ date, rowCountBefore: countOn(gone, date), rowCountAfter: countOn(added, date) },
    }))
    .filter(({ rowCountBefore, rowCountAfter }) => rowCountAfter < rowCountBefore);
  const [mostLost = null] = shrunk.toSorted(
    (a, b) => a.rowCountAfter / a.rowCountBefore - b.rowCountAfter / b.rowCountBefore,
  );
  return {
    ...{ rowCount: added.length, removedRowCount: gone.length },
    ...{ lostDateCount: lostDates.length, lostDates: lostDates.slice(0, SHOWN_LOSSES) },
    ...{ lostIdentifierCount: identifiers.length },
    lostIdentifiers: identifiers.slice(0, SHOWN_LOSSES),
    lostOnDate: inOrder(onDates.map(({ date }) => date))[0] ?? null,
    isRepeated: (keepsAll(removed) || gone.length === added.length) && areAmong(added, old),
    mostLost,
  };
}
