/** Opens the texts of a load by a recipe. */
import { UsageError } from '../base/errors.ts';
import type { Column } from '../catalog/dataset.ts';
import type { ColumnText, RecordReading } from '../engine/record-reading.ts';
import { fieldsOfRecord } from '../ingest/csv-scanner.ts';
import type { IsRead } from '../ingest/dbn-text.ts';
import { foundIn, wayOf } from '../ingest/found-text.ts';
import type { CsvSource, TextOpener } from '../ingest/load-sources.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { legalOf, listOf, stepsOf } from './column-steps.ts';
import { FILE_PART, TRAILER_PART } from './load-recipes.ts';
import { baseName, nameForm } from './name-form.ts';
import { type ColumnRule, type Recipe, SEPARATORS } from './recipe.ts';
import { noTrailer, readHead, type TextHead, withLastLine, withoutTrailer } from './text-head.ts';

async function* asUtf8(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
}

export function separatorOf({ separator }: Recipe): string {
  return SEPARATORS[separator ?? 'comma'];
}

/**
 * The first lines of a text, the last of which names the fields unless the recipe does, and so many
 * more.
 */
export async function headOf(
  recipe: Recipe,
  source: CsvSource,
  more = 0,
  isRead?: IsRead,
): Promise<TextHead> {
  const { skip_lines: skipped = 0, encoding = 'utf-8', fields } = recipe;
  const text = source.open(isRead);
  const bytes = encoding === 'utf-8' ? text : asUtf8(text, encoding);
  return await readHead(
    bytes,
    skipped + (fields ? 0 : 1) + more || 1,
    !skipped && fields !== undefined,
  );
}

/** The names of the fields of a text. */
export function fieldNames(recipe: Recipe, { lines }: TextHead): readonly string[] {
  if (recipe.fields) return recipe.fields;
  const header = lines[recipe.skip_lines ?? 0] ?? '';
  return fieldsOfRecord(header, separatorOf(recipe)).map((given) => {
    const name = given.trim();
    return recipe.fieldsByName?.get(name.toLowerCase()) ?? name;
  });
}

export interface FieldFaults {
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
  readonly repeated: readonly string[];
}

export function faultsOf(
  { neededFields, knownFields, fields, unread_fields: unread = [] }: Recipe,
  names: readonly string[],
): FieldFaults {
  const missing = [...neededFields].filter((name) => !names.includes(name));
  const others = fields ? [] : names.filter((name) => !knownFields.has(name));
  const unknown = others.map((name) => name || 'without a name');
  const isRead = (name: string) =>
    neededFields.has(name) || (knownFields.has(name) && !unread.includes(name));
  const repeated = names.filter((name, n) => isRead(name) && names.indexOf(name) !== n);
  return { missing, unknown, repeated };
}

/** The parts of a file's name; null: it has another form. */
export function nameParts({ file_name: form }: Recipe, displayName: string) {
  return form === undefined ? {} : (nameForm(form)?.read(baseName(displayName)) ?? null);
}

const column = (name: string): Column => {
  return { name, dataType: 'string', description: '', fractionDigits: 0 };
};

type Parts = Readonly<Record<string, string>>;

/**
 * Patterns of a text without spaces and of all that follows it, which may be a group; only such as
 * JavaScript reads as RE2 does.
 */
const KNOWN_AND_REST =
  /^(?<known>(?:(?:\(\?:(?:[\w|-]|\[[\w-]+\])*\)|\[(?:\^ |[\w-]+)\]|[\w-])(?:[*+?]|\{\d\d?\})?)*) (?<rest>\.\*|\(\.\*\))$/;

/**
 * Leaves out a known first part, as of a file's date, if its patterns alone decide between the rest
 * and null.
 */
function withoutKnown(text: ColumnText): ColumnText {
  const { column, parts, undefinedTexts, steps } = text;
  const [known, field, ...more] = parts;
  const [step, ...others] = steps;
  const isOnly = more.length + others.length + undefinedTexts.length === 0;
  if (typeof known !== 'string' || typeof field !== 'number' || !isOnly) return text;
  if (known.includes(' ')) return text;
  if (step?.kind !== 'rewrite' || column.dataType === 'string') return text;
  for (const [pattern, to] of step.ways) {
    const { known: ofKnown = '[^]*', rest = pattern } = KNOWN_AND_REST.exec(pattern)?.groups ?? {};
    const isRest = rest === '(.*)' && to === '\\1' && ofKnown !== '[^]*';
    if (!isRest && !(rest === '.*' && to === '')) return text;
    if (new RegExp(`^(?:${ofKnown})$`, 'u').test(known))
      return { ...text, parts: [isRest ? field : ''], steps: [] };
  }
  return text;
}

/** The reading of a file whose fields have these names. */
function readingOf(
  recipe: Recipe,
  zone: TimeZone,
  read: readonly string[],
  parts: Parts,
): RecordReading {
  const { dataset, rowRules, one_date: hasOneDate } = recipe;
  const partOf = (name: string) => {
    if (name.startsWith(FILE_PART)) return parts[name.slice(FILE_PART.length)] ?? '';
    if (name.startsWith(TRAILER_PART)) return parts[name] ?? '';
    const place = read.indexOf(name);
    return place < 0 ? '' : place;
  };
  const textOf = (name: string, rule: ColumnRule): ColumnText => {
    const own = dataset.columnByName.get(name) as Column;
    const expected = hasOneDate && name === dataset.dateColumn ? (parts.date ?? null) : null;
    const onDate = expected === null ? '' : `, on ${expected}, the date in the name of the file`;
    const names = rule.fields ? [...new Set(Object.values(rule.fields))] : listOf(rule.from);
    const isLacking = [...names, ...listOf(rule.by)].some((each) => partOf(each) === '');
    const from = isLacking ? [''] : names.map(partOf);
    const places = (of: readonly string[]) => of.map((each) => read.indexOf(each));
    const texts = Object.keys(rule.fields ?? {});
    const chosen = places(Object.values(rule.fields ?? {}));
    const choice = {
      by: places(listOf(rule.by)),
      fields: texts.map((text, t) => [text, chosen[t] as number] as const),
      mayBeNone: rule.otherwise === 'empty',
    };
    return withoutKnown({
      column: own,
      parts: rule.constant === undefined ? from : [rule.constant],
      choice: rule.by === undefined || isLacking ? null : choice,
      ifEmpty: rule.if_empty ?? null,
      undefinedTexts: rule.undefined ?? [],
      steps: stepsOf(rule, own, dataset, zone),
      expected,
      legal: legalOf(rule) + onDate,
    });
  };
  const rules = new Map<ColumnRule, number>();
  const texts: ColumnText[] = [];
  const rows = rowRules.map((row) =>
    [...(rowRules[0] ?? row).keys()].map((name) => {
      const rule = row.get(name) as ColumnRule;
      if (!rules.has(rule)) rules.set(rule, texts.push(textOf(name, rule)) - 1);
      return rules.get(rule) as number;
    }),
  );
  const choices = (of: Recipe['only']) =>
    Object.entries(of ?? {}).map(([name, values]) => ({ field: partOf(name), values }));
  const chosen = { only: choices(recipe.only), except: choices(recipe.except) };
  return { separator: separatorOf(recipe), texts, rows, ...chosen };
}

export class RecipeOpener implements TextOpener {
  readonly rowsPerRecord: number;
  readonly hasDatedNames: boolean;
  readonly recipe: Recipe;
  readonly zone: TimeZone;
  readonly otherFields = new Set<string>();
  /** By what it depends on, as the texts of one reading are loaded together. */
  readonly #readings = new Map<string, RecordReading>();

  /** `zone`: the clock of times without an offset. */
  constructor(recipe: Recipe, zone: TimeZone) {
    this.recipe = recipe;
    this.rowsPerRecord = recipe.rowRules.length;
    this.hasDatedNames = recipe.one_date === true;
    this.zone = zone;
  }

  async open(source: CsvSource) {
    const { recipe } = this;
    const isRead = (name: string) => recipe.neededFields.has(name) || this.#isOptional(name);
    const isAsked = (name: string) => isRead(name) || !recipe.knownFields.has(name);
    // A file names its fields otherwise than a recipe that names them.
    const head = await headOf(recipe, source, 0, recipe.fields ? undefined : isAsked);
    try {
      const names = fieldNames(recipe, head);
      this.#check(names, head);
      const ofName = this.#partsOf(source.displayName, head);
      const fields = names.map((name) => (isRead(name) ? column(name) : null));
      const read = names.filter(isRead);
      const { parts, chunks } = await this.#withTrailerParts(ofName, head);
      const key = JSON.stringify([read, parts]);
      const reading = this.#readings.get(key) ?? readingOf(recipe, this.zone, read, parts);
      this.#readings.set(key, reading);
      return { fields, reading, lineEnd: head.lineEnd, chunks: this.#records(chunks, parts) };
    } catch (error) {
      await head.close();
      throw error;
    }
  }

  #isOptional(name: string): boolean {
    const { optional_fields: optional = [], unread_fields: unread = [] } = this.recipe;
    return optional.includes(name) && !unread.includes(name);
  }

  /** The parts of the trailer beside those of the name, if the recipe uses them. */
  async #withTrailerParts(parts: Parts, head: TextHead) {
    const { trailer: form = '', usesTrailer } = this.recipe;
    if (!usesTrailer) return { parts, chunks: head.rest() };
    const { chunks, lastLine } = await withLastLine(head.rest());
    const said = nameForm(form)?.read(lastLine);
    if (!said) throw noTrailer(form, lastLine);
    const named = Object.entries(said).map(([name, text]) => [`${TRAILER_PART}${name}`, text]);
    return { parts: { ...parts, ...Object.fromEntries(named) }, chunks };
  }

  #records(chunks: AsyncIterable<Buffer>, { date }: Parts): AsyncIterable<Buffer> {
    const { trailer: form } = this.recipe;
    const trailer = form === undefined ? null : nameForm(form);
    if (form === undefined || !trailer) return chunks;
    return withoutTrailer(chunks, { form, read: trailer.read, date });
  }

  #partsOf(displayName: string, head: TextHead): Parts {
    const { recipe, file_name: form } = this.recipe;
    const parts = nameParts(this.recipe, displayName);
    if (parts) return parts;
    const isUsed = (nameForm(form ?? '')?.parts.length ?? 0) > 0;
    if (!isUsed) return {};
    throw new UsageError(
      `the recipe ${recipe} reads files with names of the form ${form}; ${this.#foundIn(head)}`,
    );
  }

  #foundIn({ lines }: TextHead): string {
    const line = lines.at(-1) ?? '';
    return `found ${foundIn(line, separatorOf(this.recipe))}${wayOf(line)}`;
  }

  #check(names: readonly string[], head: TextHead): void {
    const { recipe, other_fields: other = 'refuse' } = this.recipe;
    const { missing, unknown, repeated } = faultsOf(this.recipe, names);
    if (missing.length > 0) {
      const needs = `the recipe ${recipe} needs the fields ${missing.join(', ')}`;
      throw new UsageError(`${needs}; ${this.#foundIn(head)}`);
    }
    if (repeated.length > 0) throw new UsageError(`the field ${repeated[0]} is there twice`);
    if (unknown.length === 0) return;
    const fields = `the recipe ${recipe} does not know the fields ${unknown.join(', ')}`;
    if (other === 'refuse') {
      throw new UsageError(
        `${fields}; unread_fields or other_fields: warn in a recipe of your own lets them pass`,
      );
    }
    for (const name of unknown) this.otherFields.add(name);
  }
}
