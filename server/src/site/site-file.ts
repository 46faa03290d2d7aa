/** `site.yaml` in the home: texts of the landing page, and what is public. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import * as v from 'valibot';
import { parse } from 'yaml';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { SITE_FILE } from '../base/home-layout.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { readValue } from '../schema/read-value.ts';
import { legal, objectOf, parsed } from '../schema/schema.ts';

const LOGO_BYTES_MAX = 256 * 1024;

const LOGO_TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

const EMAIL = /^[^\s@:/?#]+@[^\s@:/?#]+$/;

function linkOf(text: string): string | undefined {
  if (EMAIL.test(text)) return `mailto:${text}`;
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

function textUpTo(lengthMax: number) {
  const words = `a text of up to ${lengthMax} characters`;
  return v.pipe(v.string(), v.minLength(1), v.maxLength(lengthMax), legal(words));
}

const CONTACT = 'an e-mail address, or an address such as https://data.example.com/access';
const DATASETS = 'a list of ids or text ids of datasets';

const PRICES =
  'an object of texts of up to 200 characters by the id or text id of a dataset, or all';

const FIELDS = objectOf({
  name: v.optional(textUpTo(60)),
  text: v.optional(textUpTo(1000)),
  logo: v.optional(v.pipe(v.string(), legal('the name of an .svg or .png file in the home'))),
  contact: v.optional(v.pipe(v.string(), legal(CONTACT), parsed(linkOf))),
  prices: v.optional(v.pipe(v.record(v.string(), textUpTo(200)), legal(PRICES))),
  public_catalogue: v.optional(v.pipe(v.boolean(), legal('true or false'))),
  public_samples: v.optional(v.pipe(v.array(v.string()), legal(DATASETS))),
});

export interface SiteLogo {
  readonly body: Buffer;
  readonly contentType: string;
}

export interface Site {
  readonly name: string;
  readonly text: string | null;
  readonly logo: SiteLogo | null;
  /** The address of a link. */
  readonly contact: string | null;
  /** Texts by ids or text ids of datasets, or `all`. */
  readonly prices: Readonly<Record<string, string>>;
  readonly hasPublicCatalogue: boolean;
  /** Ids or text ids of datasets of the public catalogue. */
  readonly publicSamples: readonly string[];
}

function readFields(path: string): v.InferOutput<typeof FIELDS> {
  if (!existsSync(path)) return {};
  let given: unknown;
  try {
    given = parse(readFileSync(path, 'utf8')) ?? {};
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${failureText(error)}`);
  }
  const { value, faults } = readValue(FIELDS, given);
  const [fault] = faults;
  if (fault === undefined) return value;
  const field = fault.path.join('.');
  throw new UsageError(
    fault.type === 'unknown_field'
      ? `${path}: ${field} is not a field; legal fields: ${fault.legal}`
      : `${path}: ${field} must be ${fault.legal}`,
  );
}

function readLogo(home: string, name: string): SiteLogo {
  const path = join(home, name);
  const contentType = LOGO_TYPES[extname(name).toLowerCase()];
  if (!contentType) throw new UsageError(`${SITE_FILE}: logo must name an .svg or .png file`);
  try {
    if (statSync(path).size <= LOGO_BYTES_MAX) return { body: readFileSync(path), contentType };
  } catch (error) {
    throw new UsageError(`${SITE_FILE}: logo cannot be read: ${failureText(error)}`);
  }
  throw new UsageError(`${SITE_FILE}: logo must have at most ${LOGO_BYTES_MAX} bytes`);
}

/** Names the text of all datasets that have none of their own. */
const ALL = 'all';

export function priceOf({ prices }: Site, { datasetId, textId }: Dataset): string | null {
  const name = [datasetId, textId, ALL].find((each) => Object.hasOwn(prices, each));
  return name === undefined ? null : (prices[name] ?? null);
}

function requireDatasets(
  field: string,
  names: readonly string[],
  catalog: Catalog,
  other?: string,
): void {
  const unknown = names.find(
    (name) => name !== other && !catalog.byId(name) && !catalog.byTextId(name),
  );
  if (unknown === undefined) return;
  const name = JSON.stringify(unknown.slice(0, 80));
  throw new UsageError(`${SITE_FILE}: ${field}: there is no dataset ${name}`);
}

/** Throws a `UsageError` if a field is illegal, or a sample is named that nobody could see. */
export function readSite(home: string, catalog: Catalog): Site {
  const fields = readFields(join(home, SITE_FILE));
  const { public_catalogue: hasPublicCatalogue = false, public_samples: publicSamples = [] } =
    fields;
  const { prices = {} } = fields;
  if (publicSamples.length > 0 && !hasPublicCatalogue) {
    throw new UsageError(`${SITE_FILE}: public_samples needs public_catalogue: true`);
  }
  requireDatasets('public_samples', publicSamples, catalog);
  requireDatasets('prices', Object.keys(prices), catalog, ALL);
  return {
    name: fields.name ?? 'Ticklake',
    text: fields.text ?? null,
    logo: fields.logo === undefined ? null : readLogo(home, fields.logo),
    contact: fields.contact ?? null,
    prices,
    hasPublicCatalogue,
    publicSamples,
  };
}
