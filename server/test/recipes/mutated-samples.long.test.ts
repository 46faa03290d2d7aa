/** Faulty samples of every shipped recipe are refused, and sound ones read by the right clock. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { listOf } from '../../src/recipes/column-steps.ts';
import type { ColumnRule } from '../../src/recipes/recipe.ts';
import { newFolder, publishedRows, runByClock } from '../command-line/run-command.ts';
import { sampleOf as someOf } from '../repetitions.ts';
import { drawsOf } from '../seed.ts';
import {
  fieldsOf,
  recipeOf,
  sampleOf,
  separatorOf,
  shipped,
  withoutAdded,
} from './shipped-samples.ts';

const folder = newFolder();
/** After the days of all samples. */
const CLOCK = fixedClock('2026-02-02T12:00:00Z');
afterAll(() => folder.remove());

const sampled = someOf(shipped);
const withHeader = sampled.filter((name) => !recipeOf(name).fields);

/** Exit codes of a load that was refused, or had no rows. */
const NOTHING = [2, 3];

let folderCount = 0;

/** The outcome of a load of that text by a recipe, into a home of its own. */
async function load(recipe: string, text: string, name = sampleOf(recipe).name) {
  const home = join(folder.path, `home-${folderCount++}`);
  mkdirSync(home);
  writeFileSync(join(home, name), text);
  const outcome = await runByClock(CLOCK, home, 'ingest', '--as', recipe, join(home, name));
  const { dataset, rowRules } = recipeOf(recipe);
  const read = dataset.columns.filter(({ name: column }) => rowRules[0]?.has(column));
  const columns = read.map((column) =>
    column.dataType === 'date-time' ? `${column.name}_utc_ns` : column.name,
  );
  const rows = () => publishedRows(home, dataset.datasetId, columns);
  return { ...outcome, stderr: withoutAdded(outcome), columns, rows };
}

/** True if a trailer of that form has the number of records. */
const countsRows = (form?: string) => form?.includes('{rows}') === true;

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

/** The fields of each line by a change of them; a trailer is kept. */
function withFields(recipe: string, change: (fields: string[]) => string[]): string {
  const { trailer } = recipeOf(recipe);
  const { lines } = sampleOf(recipe);
  const changed = lines.map((line, n) =>
    trailer && n === lines.length - 1
      ? line
      : change(fieldsOf(recipe, line)).join(separatorOf(recipe)),
  );
  return textOf(changed);
}

it.each(withHeader)(
  '%s refuses a file without a field that it needs, by its name',
  async (name) => {
    const header = fieldsOf(name, sampleOf(name).lines[0]);
    const field = drawsOf(`field of ${name}`).pick([...recipeOf(name).neededFields]);
    const at = header.findIndex((each) => each.trim() === field);
    const text = withFields(name, (fields) => fields.toSpliced(at, 1));
    const { exitCode, stderr } = await load(name, text);
    const message = `the recipe ${name} needs the fields ${field}; found`;
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  },
);

it.each(withHeader)('%s reads fields in any order', async (name) => {
  const usual = await load(name, textOf(sampleOf(name).lines));
  const moved = await load(
    name,
    withFields(name, (fields) => fields.toReversed()),
  );
  expect([moved.exitCode, moved.stderr]).toEqual([0, '']);
  expect(await moved.rows()).toEqual(await usual.rows());
});

it.each(sampled.filter((name) => recipeOf(name).fields))(
  '%s, whose files have no header, refuses fields in another order or number',
  async (name) => {
    for (const change of [
      (fields: string[]) => fields.toReversed(),
      (fields: string[]) => fields.slice(1),
      (fields: string[]) => [...fields, '1'],
    ]) {
      const { exitCode, rows } = await load(name, withFields(name, change));
      expect(NOTHING).toContain(exitCode);
      expect(await rows()).toEqual([]);
    }
  },
);

it.each(sampled)(
  '%s refuses a file that is cut off anywhere but at the end of a line',
  async (name) => {
    const draws = drawsOf(`cuts of ${name}`);
    const text = textOf(sampleOf(name).lines);
    const hasTrailer = recipeOf(name).trailer !== undefined;
    for (const end of Array.from({ length: 3 }, () => draws.integer(1, text.length - 2))) {
      if (text[end - 1] === '\n' && !hasTrailer) continue;
      const { exitCode, rows } = await load(name, text.slice(0, end));
      expect(NOTHING, `cut at ${end}`).toContain(exitCode);
      expect(await rows()).toEqual([]);
    }
  },
);

it.each(sampled)(
  '%s refuses doubled rows of a dataset with keys, and keeps others',
  async (name) => {
    const { fields, trailer, dataset } = recipeOf(name);
    const { lines } = sampleOf(name);
    const records = lines.slice(fields ? 0 : 1, trailer ? -1 : undefined);
    const { exitCode, stderr, rows } = await load(
      name,
      textOf([...lines.slice(0, -1), ...records, ...lines.slice(-1)]),
    );
    const hasKeys = dataset.checks.some(
      ({ rule, severity }) => rule.kind === 'keys' && severity === 'refuse',
    );
    if (countsRows(trailer)) expect(stderr).toContain('the trailer says');
    else if (hasKeys) expect(stderr).toContain('check failed: no other row has the same');
    expect(exitCode).toBe(countsRows(trailer) || hasKeys ? 2 : 0);
    if (exitCode === 2) return;
    const once = await load(name, textOf(lines));
    expect(await rows()).toHaveLength(2 * (await once.rows()).length);
  },
);

it.each(sampled.filter((name) => recipeOf(name).trailer))(
  '%s refuses a trailer that does not fit the file, or none',
  async (name) => {
    const { lines } = sampleOf(name);
    const [last = ''] = lines.slice(-1);
    const wrong = [
      [last.replace(/\|(\d{1,7})\|/, '|$19|')],
      [last.replace(/\|(\d{8})\|/, '|20240312|')],
    ];
    for (const trailer of [
      ...(countsRows(recipeOf(name).trailer) ? wrong : []),
      [],
      [last, last],
    ]) {
      expect(trailer).not.toEqual([last]);
      const { exitCode, rows } = await load(name, textOf([...lines.slice(0, -1), ...trailer]));
      expect(exitCode).toBe(2);
      expect(await rows()).toEqual([]);
    }
  },
);

/** Recipes of files with local times, and the form of these. */
const clocked = sampled.flatMap((name) => {
  const { dataset, rowRules, time_zone: zone } = recipeOf(name);
  const isTime = ([column, { time }]: [string, ColumnRule]) =>
    time && dataset.columnByName.get(column)?.dataType === 'date-time';
  const [, rule] = [...(rowRules[0] ?? [])].find(isTime) ?? [];
  const form = listOf(rule?.time)[0];
  return form && !form.includes('Z') && zone !== 'UTC' ? [[name, form, rule] as const] : [];
});

const PART = /YYYY|MM|DD|HH|H|mm|ss|SSSSS|\.n|n{2,9}/g;

/** A day and an hour and minute in a form. */
function written(form: string, day: string, [hour = 0, minute = 0]: readonly number[]): string {
  const [year = '', month = '', date = ''] = day.split('-');
  const two = (part: number) => `${part}`.padStart(2, '0');
  const parts: Record<string, string> = {
    ...{ YYYY: year, MM: month, DD: date, HH: two(hour), H: `${hour}`, mm: two(minute), ss: '00' },
    ...{ SSSSS: `${hour * 3600 + minute * 60}`, '.n': '' },
  };
  return form.replace(PART, (part) => parts[part] ?? '0'.repeat(part.length));
}

/** A load of one record of the sample, at another time. */
async function loadAt([name, form, rule]: (typeof clocked)[number], day: string, time: number[]) {
  const { fields, trailer, only = {} } = recipeOf(name);
  const { name: file, lines } = sampleOf(name);
  const header = fields ? null : (lines[0] ?? '');
  const names = fields ?? fieldsOf(name, lines[0]);
  const record = lines
    .slice(header === null ? 0 : 1)
    .map((line) => fieldsOf(name, line))
    .find((cells) =>
      Object.entries(only).every(([of, texts]) => texts.includes(cells[names.indexOf(of)] ?? '')),
    );
  const from = listOf(rule?.from);
  const text = written(form, day, time);
  const texts = from.length > 1 ? text.split(' ') : [text];
  const cells = record?.map((cell, c) => texts[from.indexOf(names[c] ?? '')] ?? cell) ?? [];
  const end = trailer ? [`END|${day.replaceAll('-', '')}|1||||||||||||||`] : [];
  const body = [cells.join(separatorOf(name)), ...end];
  const dated = file
    .replace(/\d{4}([-_])\d\d\1\d\d/, (_date, sign: string) => day.replaceAll('-', sign))
    .replace(/(?<!\d)20\d{6}(?!\d)/, day.replaceAll('-', ''));
  const loaded = await load(name, textOf([...(header === null ? [] : [header]), ...body]), dated);
  const rows = await loaded.rows();
  const at = loaded.columns.findIndex((column) => column.endsWith('_utc_ns'));
  const times = rows.map((row) =>
    new Date(Number(BigInt(row[at] ?? 0) / 1_000_000n)).toISOString(),
  );
  return { ...loaded, times };
}

it.each(clocked)('%s reads %s by the clock on both sides of its changes', async (...recipe) => {
  const hours: number[] = [];
  for (const day of ['2023-11-03', '2023-11-06', '2024-03-08', '2024-03-11']) {
    const { exitCode, stderr, times } = await loadAt(recipe, day, [10, 1]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(times[0]?.slice(0, 10)).toBe(day);
    hours.push(Number(times[0]?.slice(11, 13)));
  }
  const [hour = 0] = hours;
  expect(hours).toEqual([hour, hour + 1, hour + 1, hour]);
});

it.each(clocked)('%s refuses %s in the hour that the clock skips', async (...recipe) => {
  const { exitCode, stderr, times } = await loadAt(recipe, '2024-03-10', [2, 31]);
  const reason = expect.stringMatching(/"2024-03-10T02:3[01]:00.*" is not a time that exists/);
  expect([exitCode, stderr, times]).toEqual([2, reason, []]);
});

it.each(clocked)(
  '%s takes %s in the hour that the clock shows twice for the first, where a Sunday has rows',
  async (...recipe) => {
    const { exitCode, stderr, times } = await loadAt(recipe, '2023-11-05', [1, 31]);
    const hours = times.map((time) => time.slice(0, 13));
    const { checks } = recipeOf(recipe[0]).dataset;
    // That day is a Sunday.
    if (
      checks.some(({ rule, severity }) => rule.kind === 'trading_days' && severity === 'refuse')
    ) {
      const reason = expect.stringContaining(': TradeDate "2023-11-05"');
      expect([exitCode, stderr, hours]).toEqual([2, reason, []]);
      expect(stderr).toContain('check failed: TradeDate is a trading day of');
    } else expect([exitCode, stderr, hours]).toEqual([0, '', ['2023-11-05T05']]);
  },
);
