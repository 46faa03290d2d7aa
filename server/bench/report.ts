/** The table of findings, and the machine that they were found on. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { type Finding, isMet, ms } from './finding.ts';

function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

export function machine(): Record<string, string | number> {
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch}`,
    node: process.version,
    loadAverage: loadavg()
      .map((load) => load.toFixed(1))
      .join(' '),
  };
}

/** Ticks of processor time: of all programs; of this one and its ended children. */
function processorTicks(): readonly [number, number] {
  const [, user, nice, system, , , interrupts, soft] = readFileSync('/proc/stat', 'utf8')
    .split(/\s+/, 9)
    .map(Number) as number[];
  const own = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ').slice(11, 15);
  const sum = (values: readonly unknown[] = []) =>
    values.reduce<number>((a, b) => a + Number(b), 0);
  return [sum([user, nice, system, interrupts, soft]), sum(own)];
}

/** Begins to look at what else the machine does; the returned function says it. */
export function watchOthers(): () => string {
  if (process.platform !== 'linux')
    return () => 'what other programs took is not known on this system';
  const [all, own] = processorTicks();
  return () => {
    const [allNow, ownNow] = processorTicks();
    const others = 1 - (ownNow - own) / (allNow - all);
    return `other programs took ${Math.round(100 * others)} % of the processor time`;
  };
}

/** Since when targets are met, by the name of the work. */
type MetSince = Readonly<Record<string, string>>;

const MET_SINCE = new URL('met-since.json', import.meta.url);

export function readMetSince(): MetSince {
  return JSON.parse(readFileSync(MET_SINCE, 'utf8')) as MetSince;
}

/** Rows that were not measured stay as they are. */
export function recordMetSince(findings: readonly Finding[], date: string): void {
  const since = new Map(Object.entries(readMetSince()));
  for (const finding of findings) {
    if (!isMet(finding)) since.delete(finding.work);
    else if (!since.has(finding.work)) since.set(finding.work, date);
  }
  const sorted = [...since].sort(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(MET_SINCE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

function markdown(lines: readonly (readonly string[])[]): string {
  const [head = []] = lines;
  const widths = head.map((_, c) => Math.max(...lines.map((line) => line[c]?.length ?? 0)));
  const text = lines.map(
    (line) => `| ${line.map((cell, c) => cell.padEnd(widths[c] as number)).join(' | ')} |`,
  );
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [text[0], rule, ...text.slice(1)].join('\n');
}

/** Every finding with its target, as a Markdown table. */
export function targetTable(findings: readonly Finding[], metSince: MetSince): string {
  const rows = findings.map((finding) => {
    const { work, measured, compared, figure, spread, unit, target } = finding;
    return [
      work,
      measured,
      compared,
      `${number(figure)}${unit}`,
      spread ? spread.map(number).join(' to ') : '',
      `${target.is} ${target.value}${unit}`,
      isMet(finding) ? 'pass' : 'FAIL',
      metSince[work] ?? '',
    ];
  });
  const head = ['work', 'measured', 'compared with', 'figure', 'half of the turns', 'target'];
  return markdown([[...head, '', 'met since'], ...rows]);
}

/** Times of ClickHouse for these rows; null: not measured. */
export function clickHouseTable(findings: readonly Finding[]): string | null {
  const rows = findings.flatMap(({ work, measured, compared, clickHouse }) =>
    clickHouse ? [[work, measured, compared, ms(clickHouse.filesMs), ms(clickHouse.tablesMs)]] : [],
  );
  if (rows.length === 0) return null;
  return markdown([
    ['work', 'Ticklake', 'DuckDB', 'ClickHouse, same files', 'ClickHouse, own tables'],
    ...rows,
  ]);
}

export function json(findings: readonly Finding[], dataSet: string): string {
  const kept = findings.map((finding) => ({ ...finding, isMet: isMet(finding) }));
  return `${JSON.stringify({ at: new Date().toISOString(), dataSet, machine: machine(), findings: kept }, null, 2)}\n`;
}
