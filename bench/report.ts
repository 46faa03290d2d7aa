/** The table of findings, and the machine that they were found on. */
import { cpus, loadavg, totalmem } from 'node:os';
import { type Finding, isMet } from './finding.ts';

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

/** As a Markdown table. */
export function table(findings: readonly Finding[]): string {
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
  const lines = [['work', 'measured', 'compared with', 'figure', 'target', ''], ...rows];
  const widths = [0, 1, 2, 3, 4, 5].map((c) => Math.max(...lines.map((line) => line[c]!.length)));
  const text = lines.map(
    (line) => `| ${line.map((cell, c) => cell.padEnd(widths[c] as number)).join(' | ')} |`,
  );
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [text[0], rule, ...text.slice(1)].join('\n');
}

export function json(findings: readonly Finding[], dataSet: string): string {
  const kept = findings.map((finding) => ({ ...finding, isMet: isMet(finding) }));
  return `${JSON.stringify({ at: new Date().toISOString(), dataSet, machine: machine(), findings: kept }, null, 2)}\n`;
}
