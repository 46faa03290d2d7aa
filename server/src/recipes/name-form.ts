/** Forms of file names and of trailers: `trades_{date:YYYYMMDD}_*.csv`. Pure. */
import { timeForm } from '../ingest/time-forms.ts';

const PART = /\*|\{([a-z_]+)(?::([^}]*))?\}/g;
export const NAME_FORM_LEGAL =
  'a text with * for any text, {NAME} for a part of its own and {date:FORM} for a date, such as {symbol}_{date:YYYYMMDD}.csv';

function withoutGroups(pattern: string): string {
  return pattern.replaceAll(/\((?!\?)/g, '(?:');
}

export interface NameForm {
  /** Names of the parts that it gives. */
  readonly parts: readonly string[];
  /** The parts of a text, dates as `YYYY-MM-DD`; null: the text has another form. */
  read(text: string): Readonly<Record<string, string>> | null;
}

/** Null: it is no form. */
export function nameForm(form: string): NameForm | null {
  const dates = new Map<string, (text: string) => string>();
  const parts: string[] = [];
  let pattern = '';
  let end = 0;
  for (const match of form.matchAll(PART)) {
    const [whole, name, dateForm] = match;
    pattern += RegExp.escape(form.slice(end, match.index));
    end = match.index + whole.length;
    const date = dateForm === undefined ? null : timeForm(dateForm);
    if (name === undefined) pattern += '.*';
    else if (parts.includes(name) || (dateForm !== undefined && date?.time !== null)) return null;
    else {
      parts.push(name);
      pattern += `(?<${name}>${date ? withoutGroups(date.pattern) : '.+?'})`;
      if (date) {
        const to = date.date.replaceAll('\\', '$');
        dates.set(name, (text) => text.replace(new RegExp(`^${date.pattern}$`), to));
      }
    }
  }
  const whole = new RegExp(`^${pattern}${RegExp.escape(form.slice(end))}$`, 's');
  return {
    parts,
    read: (text) => {
      const found = whole.exec(text);
      if (!found) return null;
      const entries = Object.entries(found.groups ?? {});
      return Object.fromEntries(
        entries.map(([name, part]) => [name, dates.get(name)?.(part) ?? part]),
      );
    },
  };
}

/** The name of a file without folders and packing; that of a CSV file where it is read as one. */
export function baseName(displayName: string): string {
  const name = displayName.split(/[\\/]/).at(-1) ?? '';
  return name.replace(/\.(gz|zst|zip)$/i, '').replace(/\.dbn$/i, '.csv');
}
