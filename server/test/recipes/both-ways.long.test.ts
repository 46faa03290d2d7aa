/** Plain records take a faster way through a recipe, with the same rows as the exact one. */
import { afterAll, expect, it } from 'vitest';
import { newFolder } from '../command-line/run-command.ts';
import { sampledRuns, sampleOf as someOf } from '../repetitions.ts';
import { drawsOf, expectCameAcross } from '../seed.ts';
import { loadByRecipe } from './load-by-recipe.ts';
import { fieldsOf, recipeOf, sampleOf, separatorOf, shipped } from './shipped-samples.ts';

const folder = newFolder();
afterAll(() => folder.remove());

/** Texts that a field of any kind may have, though few kinds can be read of them. */
const ODD = [
  ...['', ' ', 'x', '-', '.', '"A"', '""', 'é', ' A', 'A ', '?', 'ZZZZ', 'O:SPY', 'BRK.B', '0'],
  ...['1e3', '1E3', '.5', '5.', '100.0', '1.5', '-3', '+7', '007', '1,5', '"1,5"', '0x1F', '1F'],
  ...['123456789.123456789', '9223372036854775807', '9223372036854775808', '-40000000000000'],
  ...['99', '12', '10', '04', '"12,37"', '"12, 37"', '@FTI', ' B  ', 'T', 'C', 'Put', 'NaN'],
  ...['1710144000000000000', '1710165661000000001', '1710144000.5', '01710144000000000000'],
  ...['1710129600000000000', '1710316800000000000', '1710144000', '-5'],
  ...['2024-03-11', '2024-02-30', '20240311', '3/11/2024', '2024-03-10 02:30:00', '24:00:00'],
  ...['2024-11-03 01:30:00', '2024-03-11 09:30', '2024-03-11T09:30:00.123456789Z', '09:30:00'],
  ...['240000000000000', '046000000000000', '0400000000000000', '235959999999999', '34200.5'],
  ...['AAPL  240315C00170500', 'ESH4', 'ESH4-ESM4', 'QUOTE BID', '2012-06-21', '1899-12-31'],
];

/** More records than the usual texts of codes and extracts are looked for in. */
const MANY_RECORDS = 10_500;
const ALIKE_MAX = sampledRuns(3);

it.each(someOf(shipped))('%s: plain records become the rows of the exact way', async (name) => {
  const draws = drawsOf(`both ways of ${name}`);
  const { fields, skip_lines: skipped = 0, trailer, neededFields, rowRules } = recipeOf(name);
  const { lines } = sampleOf(name);
  const head = lines.slice(0, skipped + (fields ? 0 : 1));
  const records = lines.slice(head.length, trailer ? -1 : undefined);
  const names = fields ?? fieldsOf(name, head.at(-1));
  const usual = () => draws.pick(records);
  const withField = (field: number, text: string) =>
    fieldsOf(name, usual()).with(field, text).join(separatorOf(name));
  /** Odd texts as long as a usual one, some of them, and any other. */
  const oddOf = (field: number) => {
    const { length } = fieldsOf(name, usual())[field] ?? '';
    const alike = ODD.filter((text) => text.length === length);
    const first = draws.integer(0, Math.max(0, alike.length - ALIKE_MAX));
    return [...alike.slice(first, first + ALIKE_MAX), draws.pick(ODD)];
  };
  const textOf = (body: readonly string[]) => {
    const end = trailer ? [lines.at(-1)?.replace(`|${records.length}|`, `|${body.length}|`)] : [];
    return `${[...head, ...body, ...end].join('\n')}\n`;
  };
  const read = [...neededFields].map((field) => names.indexOf(field));
  const few = read.flatMap((field) =>
    oddOf(field).map((text) => textOf([usual(), withField(field, text), usual()])),
  );
  const isSlow = [...(rowRules[0]?.values() ?? [])].some(({ bits, extract }) => bits ?? extract);
  const many = Array.from({ length: isSlow ? MANY_RECORDS : 1 }, usual);
  const texts = [...few, textOf([...many, withField(draws.pick(read), draws.pick(ODD))])];
  const fast = await loadByRecipe(folder.path, name, texts, 'fast');
  const exact = await loadByRecipe(folder.path, name, texts, 'strict');
  expect(fast.reports).toEqual(exact.reports);
  expect(fast.digests).toEqual(exact.digests);
  const bad = exact.reports.filter(({ badRowCount }) => badRowCount > 0).length;
  expectCameAcross({ taken: fast.counts.taken, refused: fast.counts.refused, bad });
});
