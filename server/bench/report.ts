/** The table of findings, and the machine that they were found on. */
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
export function targetTable(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => {
    const { work, measured, compared, figure, unit, target } = finding;
    return [
      work,
      measured,
      compared,
      `${number(figure)}${unit}`,
      `${target.is} ${target.value}${unit}`,
      isMet(finding) ? 'pass' : 'FAIL',
    ];
  });
  return markdown([['work', 'measured', 'compared with', 'figure', 'target', ''], ...rows]);
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
